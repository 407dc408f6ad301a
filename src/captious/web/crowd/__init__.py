"""Participants whom a provider sends: their first and last page, and what the provider reports."""
