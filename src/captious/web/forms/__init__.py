"""A protocol's form on a page, and the answers that come back: for raters' and leads' pages alike."""
