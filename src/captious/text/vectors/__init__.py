"""Word vectors: read from any usual file, stored once, looked up fast."""
