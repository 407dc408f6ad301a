"""Requests scored together: one call of the engine, an answer for each."""
