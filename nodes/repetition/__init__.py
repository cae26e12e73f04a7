"""Repetition: calls that repeat an earlier one, and models that do nothing else.

All of it is in `nodes/repetition` and derived from the messages, so it survives a resume, a fork
and a rewind.

- `repeated_calls.py`: `dispatch` finds the answer to the same read-only call that the model still
  sees, and hands its digest to `run_tool`. The call is checked and run as ever; only an answer
  that is the same, with the same file hashes, becomes one line.
- `loop_response.py`: a step is stale if each of its calls was made before with the same arguments
  and the same result on the same files. Each answer carries the snapshot of the files as the mark
  `tree`. The first loop adds a note, the second a note with the mark `hides`:
  `select_conversation` leaves out the messages it names, so nothing is deleted. The third ends the
  run: a role of a task goes to `review`, a conversation and an edit end with outcome `failed`.
"""
