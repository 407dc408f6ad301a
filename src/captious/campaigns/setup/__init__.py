"""Making a campaign and changing its state: creation, cost, lifecycle."""
