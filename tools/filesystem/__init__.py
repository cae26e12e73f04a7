"""Safe file access beneath the project: reading, atomic writes, transactions, listing.

`tools/filesystem/commit.py` is the one entry point; `tools/filesystem/file_access.py` and
`tools/filesystem/atomic_write.py` touch the disk, and only beneath the project's root
(`tools/filesystem/safe_open.py`; the reasons: `docs/decisions/0011`). A change is prepared (the
file's bytes in its own encoding; an error if that cannot encode them), staged (whole, on the disk
beside it), committed in one step, and can be taken back. From reading to writing
`tools/filesystem/file_locks.py` holds the file against other threads and processes. The engine
describes a change as text edits (`tools/textedits/text_edits.py`), so bytes outside of them are
copied, never encoded again.
"""
