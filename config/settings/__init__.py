"""The settings: schema, sources, loading and writing.

A new setting takes:

- a field in `config/settings/schema.py`
- a row in `docs/configuration.md`
"""
