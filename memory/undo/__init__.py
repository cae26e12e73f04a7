"""Undo, redo and restore of file changes.

- which entries, `memory/undo/undo_stack.py`: what is in effect; what undo, redo and rewind take
  back
- plan, `memory/undo/restore_plan.py`: each file's changes as one (change_chains.py), what others
  did merged (three_way_merge.py), the rest a conflict; nothing is written, so it can be looked at
- carry out, `memory/undo/restore.py`: the whole list on record, then file by file (apply.py,
  working_tree.py), then done

A restore is an entry of the same history, so it can be taken back; one that a kill interrupted is
finished the next time. The changes of a killed call are recorded before anything is restored
(`restore.py`), as changes that may be others'. The reasons: `docs/decisions/0009`.
"""
