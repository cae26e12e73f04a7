"""The commands under `mcode memory`."""
