"""The web application: pages for raters and for those who run campaigns."""
