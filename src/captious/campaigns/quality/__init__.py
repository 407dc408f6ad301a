"""Rules that flag raters, and the settling of disagreements."""
