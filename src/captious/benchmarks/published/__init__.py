"""Published values, and whether captious reproduces them."""
