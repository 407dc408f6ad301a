"""VSE++ (Faghri et al. 2018): an image by a CNN and a text by a GRU, in one space."""
