"""Handing items to raters and taking their responses in."""
