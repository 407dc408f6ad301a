"""`captious train`: one module a recipe; what they share is in `options`, `data` and `run`."""
