"""Snapshots of a project's files before and after each change.

A folder's store is git's object format beside the user's repository, which is never touched:
`memory/snapshots/git_backend.py` fills it with all files that are not ignored,
`memory/snapshots/copy_backend.py`, where git is missing, with those that tools named. The
permissions and empty folders, which git's trees leave out, are a blob in each
(`memory/snapshots/permissions.py`, `git_permissions.py`). Files beyond the limits are left out and
reported (`memory/snapshots/limits.py`); what no history needs is freed
(`memory/snapshots/garbage_collection.py`). The reasons: `docs/decisions/0008`.
"""
