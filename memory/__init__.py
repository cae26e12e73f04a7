"""Data that outlives a run: checkpoints, journal, lease, thread list, snapshots."""
