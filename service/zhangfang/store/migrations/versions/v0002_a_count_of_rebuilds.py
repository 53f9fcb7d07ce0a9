"""How often the projections were rebuilt: by it a process knows that what it remembers of them may be old."""

from alembic import op
from sqlalchemy import BigInteger, Column

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the count to the log's head."""
    op.add_column("log_head", Column("rebuilds", BigInteger, nullable=False, server_default="0"))
