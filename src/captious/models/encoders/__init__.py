"""Encoders that turn texts into vectors."""
