"""All that a store holds, digested table by table: two equal snapshots are a store in which nothing changed."""

import hashlib

from sqlalchemy import MetaData, select

from zhangfang.store.database import Database


def snapshot(database_url: str) -> dict[str, str]:
    """A digest of every row of every table."""
    database = Database(database_url)
    try:
        with database.read() as connection:
            metadata = MetaData()
            metadata.reflect(connection)
            digests = {}
            for table in metadata.sorted_tables:
                digest = hashlib.sha256()
                for row in sorted(repr(tuple(row)) for row in connection.execute(select(table))):
                    digest.update(row.encode("utf-8", "surrogatepass"))
                digests[table.name] = digest.hexdigest()
            return digests
    finally:
        database.close()
