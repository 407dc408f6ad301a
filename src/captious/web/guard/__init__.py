"""Who may ask for what: sessions and CSRF tokens, limits and headers, proxies, hosts and frames."""
