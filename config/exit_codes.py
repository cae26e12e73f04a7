"""Every exit code of `mcode`: a new one gets a line here, and a row in each page that lists them.

An error has its code in `config/errors.py`; the end of a run in `cli/execution/run.py`.

A new exit code takes:

- its line in `config/exit_codes.py`. An error names its code in its class: `config/errors.py`,
  `models/errors.py`. A run that ends without an error: `to_exit_code` in `cli/execution/run.py`; a
  new status of the thread: `derive_status` in `sdk/outcome.py`; a review: `to_review_code` in
  `cli/execution/review_report.py`
- `README.md`, `docs/headless.md`, `docs/events.md`, `docs/troubleshooting.md`,
  `docs/pull-requests.md`
- `Exit codes:` in the help of the commands that can end with it, and its Chinese in `help.po`
- search `tests/e2e` for the old code
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
