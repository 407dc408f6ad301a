"""`captious crowd`: campaigns at crowd providers."""
