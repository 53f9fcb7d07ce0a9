"""How alembic reaches our database: over the connection it is handed."""

from alembic import context

from zhangfang.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
