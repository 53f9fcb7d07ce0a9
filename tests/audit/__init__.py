"""The log as evidence: verified, rebuilt, judged again, exported."""
