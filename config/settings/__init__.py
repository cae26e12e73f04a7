"""The settings: schema, sources, loading and writing."""
