"""Checks for dangerous effects of a command line.

A command that is always asked, or always denied, takes:

- a function in `tools/shell/risks/` (denied: `destructive.py`), called in
  `tools/shell/analyzer.py`, which names the verdict and the rule
- its twin in `tests/tools/shell/risks/`
- lines in `tests/corpora/commands.txt` (move those that stand under `ordinary`)
- its reason in `messages.po`
- "Order of evaluation" in `docs/permissions.md`
"""
