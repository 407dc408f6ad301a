"""The command line: one module a command; parses, calls, prints, and has no logic of its own."""
