"""The schema's history, run by ``zhangfang migrate`` and by itself on the embedded store."""
