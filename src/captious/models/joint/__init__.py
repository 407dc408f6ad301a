"""Models that judge an image and a text together: ViLT, BLIP, ViLBERT with region features, VSE++."""
