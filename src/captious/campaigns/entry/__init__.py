"""What comes before and after a rater's work: consent, surveys, training with known answers."""
