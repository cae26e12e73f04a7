"""Every exit code of `mcode`: a new one gets a line here, and a row in each page that lists them.

An error has its code in `config/errors.py`; the end of a run in `cli/execution/run.py`.
"""

from typing import Final

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
"""A wrong option, argument, path or configuration; nothing was changed."""
LIMIT_REACHED: Final = 3
"""Steps, repair rounds, context or time used up; the thread can resume."""
NEEDS_ANSWER: Final = 4
"""A question, and no user at a terminal to answer it."""
SIGNAL_BASE: Final = 128
"""A signal's code is this and its number, as in POSIX shells: 129 for SIGHUP, 143 for SIGTERM."""
INTERRUPTED: Final = 130
"""Ctrl-C."""
OUTPUT_CLOSED: Final = 141
"""The reader of stdout is gone: `mcode … | head`."""
