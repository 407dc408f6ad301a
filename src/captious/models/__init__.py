"""Encoders, detectors and language models: how weights are found, loaded, batched and cached."""
