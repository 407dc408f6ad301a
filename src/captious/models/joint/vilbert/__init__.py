"""ViLBERT (Lu et al. 2019): a text and the regions of an image, read by two streams that meet."""
