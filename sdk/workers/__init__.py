"""Workers: processes that run the threads of a queue, on one machine or several.

`queue.py` is the queue's side of whoever enqueues, `claims.py` that of a worker; `worker.py` runs
what was claimed. DBOS (extra `workers`) keeps the queue, in SQLite or PostgreSQL; a run in it is
one workflow, `THREAD:RUN`, without steps, since the thread itself is durable. The lease of a thread
stays the authority: `docs/decisions/0059`.
"""
