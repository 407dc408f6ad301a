"""Who works on a campaign: accounts, sessions, links, raters."""
