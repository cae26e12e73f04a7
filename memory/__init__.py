"""Data that outlives a run: checkpoints, journal, lease, thread list, snapshots.

`~/.llc/data/` (0700; `MAXAGENT_HOME` moves it): `threads.db` (checkpoints, writes, journal, list
of threads), `leases/` (one lock a running thread), `outputs/` (whole outputs of commands),
`snapshots/` (a store for each folder), `trust.json` (the folders that the user trusts), `sandbox/`
(the filters of system calls), `backups/` (where `tools.backup` is set: what tools overwrote),
`test-caches/` (Go's build cache of tests in the sandbox, one a project), `errors/` (tracebacks of
our own faults), `shown-questions` (which question each terminal has shown, for answers from `mcode
resume`).
"""
