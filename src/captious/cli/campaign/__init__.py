"""`captious campaign`: one module per group of subcommands."""
