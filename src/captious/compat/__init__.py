"""Drop-in replacements for the programs that people already use."""
