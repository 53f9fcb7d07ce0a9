"""The log as evidence: verified, folded again, judged again, exported."""
