"""The SQLite database: connection, serializer, checkpointer."""
