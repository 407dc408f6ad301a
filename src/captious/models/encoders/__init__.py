"""Encoders of texts and images: sentence encoders, image-text embedders, joint models, feature files.

`base` says what every image-text model offers; `opening.open_embedder` turns a name into one.
"""
