"""Bringing the tables of an older version up to date: new tables, and new columns that may be empty."""

from __future__ import annotations

from sqlalchemy import Connection, Inspector, inspect, text, update
from sqlalchemy.schema import CreateColumn

from previously.stores.schema import SCHEMA_VERSION, meta, metadata


def upgrade(connection: Connection, schema: str | None) -> None:
    """Add what is missing. Every change of the schema is of this kind, so no version needs a step of its own."""
    there: Inspector = inspect(connection)
    for table in metadata.sorted_tables:
        if not there.has_table(table.name, schema=schema):
            continue
        known = {column["name"] for column in there.get_columns(table.name, schema=schema)}
        for column in table.columns:
            if column.name not in known:
                where = f"{schema}.{table.name}" if schema else table.name
                added = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {where} ADD COLUMN {added}"))
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        for index in table.indexes:
            index.create(connection, checkfirst=True)
    connection.execute(update(meta).where(meta.c.name == "schema_version").values(value=str(SCHEMA_VERSION)))
