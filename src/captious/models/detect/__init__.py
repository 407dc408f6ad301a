"""Object detectors: how they are found, run and cached."""
