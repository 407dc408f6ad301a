"""Chat models behind an OpenAI-compatible endpoint: one request, patience, and a store of answers."""
