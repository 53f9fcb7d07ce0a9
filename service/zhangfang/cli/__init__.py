"""The command line: ``zhangfang serve | demo | settle | …``."""
