"""Parsing and applying patches.

A patch is parsed twice by the same parser (`tools/editing/patch/parser.py`): for the permissions,
which see every path in it (`extract_paths` in `tools/definition.py`), and for the tool, which
applies it in memory (`tools/editing/patch/patch_overlay.py`) and writes all files or none
(`tools/filesystem/transaction.py`).
"""
