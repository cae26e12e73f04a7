"""Readers and writers of LangGraph's checkpoints: steps, writes, messages, search.

`memory/checkpoints/steps.py` reads a thread's steps from LangGraph's tables, with their messages
(`memory/checkpoints/messages.py`) and the branches that were left, without building a message
object. A thread goes back to the first checkpoint after a step at which no call is open, because
the journal knows running calls by their id. `sdk/threads/time_travel.py` has LangGraph copy that
checkpoint to the end of the thread (`__copy__` keeps what comes next), or copies it with all
before it to a new thread (`memory/checkpoints/thread_rows.py`). A fork without a step copies the
last checkpoint; calls that are open there are answered in the fork as if the user had sent another
message (`nodes/recovery/cancelled_calls.py`). A checkpoint's `file_entry` is its position in the
file history, so files go to the same step (`sdk/threads/file_history.py`). Only `time_travel`
loads LangGraph; `undo`, `diff` and the lists stay light.
"""
