"""Image files put together again from the parts that make the picture, and no others."""
