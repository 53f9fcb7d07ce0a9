"""The games the house knows, by name."""
