"""Secrets in texts: known values, forms of keys, assignments, the one search for all.

A new form of keys takes:

- `config/security/secrets/own_rules.json`
- an example in `tests/corpora/secret_forms.py`
- `models/auth/key_shapes.py` if `mcode auth login` is to find the provider by a pasted key, and
  `KEYS` in its test
- `docs/secrets.md` for a new kind of secret
"""
