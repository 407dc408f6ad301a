"""One module or folder for each provider; nobody outside knows one by name."""
