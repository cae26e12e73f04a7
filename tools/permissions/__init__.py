"""Permissions of tool calls: one pure decision (allow, ask or deny) and its rules.

One function decides every call. Its callers are the node `approve`, an approval that the user has
edited, `run_tool` right before the call runs (`recheck_call` in `nodes/approval/evaluate.py`: only
a denial counts then), `mcode tools call`, and `mcode permissions explain`.

- evaluate_tool_call, `tools/permissions/evaluate_tool.py`: the tool's own word: its effect, the
  paths it is given
- RequestedCall, `tools/permissions/call.py`: looked up once, as asked for: real names of files;
  the programs, files or hosts it is about; the analysis of a command line
- RESTRICTIONS, `tools/permissions/restrictions.py`: paths, scope, analysis, `deny`, mode,
  protected names, sandbox, `ask`: each looks at every call, the strictest wins, an error asks
- where nothing restricts, grant, `tools/permissions/grants.py`: it only reads · `allow` rules · in
  `edits` confined or undone by undo (unasked_commands.py, tools/shell/effects/) · the mode; else
  asked, with the narrowest rule that would allow it
- the checks, `tools/permissions/evaluate.py`: an edit answers for the commands that run after it,
  too

Rules come from all layers with their sources (`config/settings/permission_rules.py`) and are
parsed once (`tools/permissions/policy.py`, `rule.py`). A pattern has two tests: `matches_loosely`,
which is wide, and `matches_strictly`, which is narrow (`docs/decisions/0012`).
"""
