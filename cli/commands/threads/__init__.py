"""The commands under `mcode threads`."""
