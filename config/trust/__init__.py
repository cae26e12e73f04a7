"""Trust in a project folder: its inventory, the user's consent, and its record.

`config/trust/inventory.py` lists the files that a folder could have loaded,
`config/trust/decision.py` checks whether the user said yes to exactly these, and
`config/trust/store.py` keeps the yes. Without it `config/settings/loader.py` ignores the project's
file and `verify` runs no tests. Trust is checked when a run starts
(`DependencyPool.reload_if_changed`), not at each step; the command line asks
(`cli/prompts/trust.py`), a run only emits a notice (`sdk/startup_notices.py`).
"""
