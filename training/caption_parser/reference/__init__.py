"""SPICE 1.0 with Stanford CoreNLP 3.6.0, which the parser learns from: its parses, tuples and scores."""
