"""Translation of the interface: catalogues, the choice of a language, messages of lower layers.

A translation is in:

- `cli/i18n/locale/zh/LC_MESSAGES/`: `mcode.po` (interface, by key), `help.po` (help),
  `messages.po` (errors and hints of all floors, notices of the floors below `cli`)
- `make locale` compiles it: commit `.po` and `.mo`
- search `tests/` for the old words
- `docs/languages.md` has the terms and marks
"""
