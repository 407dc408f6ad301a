"""The server below the application: connections, their time limits, worker processes."""
