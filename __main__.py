"""`python -m maxagent`, the same as `mcode`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder, whose modules could take the names of others

from .cli.entry import run  # noqa: E402

run()
