"""The server below the application: its settings, worker processes."""
