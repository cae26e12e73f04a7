"""What every node stands on: the run's context, dependencies, limits, modes, messages."""
