"""`python -m captious` is the `captious` command."""

from captious.cli.main import main

if __name__ == "__main__":
    main()
