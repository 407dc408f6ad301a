"""Language models that give the probability of a caption."""
