"""What the server did: a log line for each request, and figures for Prometheus."""
