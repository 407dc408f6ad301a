"""Caption text: normalisation, tokens, n-grams."""
