"""How the metric `captious` is made: sources, wrong copies, tuning of the encoder, weights."""
