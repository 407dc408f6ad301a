"""Models that judge an image and a text together: ViLT, ViLBERT with region features, VSE++."""
