"""The contract: what goes over the wire and onto the log, translated from and to the house's own values."""
