"""`python -m maxagent`, the same as `mcode`."""

from .cli.app import main

main()
