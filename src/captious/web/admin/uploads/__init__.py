"""Files from a browser: copied to disk in bounded pieces, told by content, never trusted by name."""
