"""Export and import of threads.

`memory/checkpoints/writes.py` reads what a thread's nodes wrote, in LangGraph's order, without
building a message object; `sdk/threads/transcript.py` joins it with the journal's results for
`threads show`, `memory/checkpoints/messages.py` finds the messages of the user and the model for
`list --search`.

A sub-agent's rows are in the same tables and the same thread, under a namespace of their own,
`subagent:TASK-ID`. `memory/threads/sub_runs.py` has one row for each, `memory/threads/children.py`
those whose calls the conversation still has: a rewind before a call takes its sub-agents from the
lists, `prune` deletes them, a fork copies those that have ended.

Export:

- `memory/threads/transfer_rows.py`: the rows of the conversation as it is, at one moment
- `memory/checkpoints/packed_rows.py`: every text in them again without secrets
- `memory/threads/archive.py`: one zip: manifest, rows, outputs

Import:

- `memory/threads/archive.py`: names, sizes and types checked as a stranger's
- `sdk/transfer/sanitize.py`: what of a checkpoint is kept, and where it is cut back to
- `sdk/transfer/kept_fields.py`: options that only make it stricter
- `memory/threads/index.py`, `import_thread`: all rows in one transaction

The reasons: `docs/decisions/0014`.
"""
