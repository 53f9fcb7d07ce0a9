"""The log on disk: recorder, mapper, hash chain, schema and migrations, on SQLite and PostgreSQL."""
