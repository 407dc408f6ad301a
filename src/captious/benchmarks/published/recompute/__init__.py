"""What captious measures against the published values."""
