"""The commands under `mcode test`."""
