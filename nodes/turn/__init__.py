"""A role's turn: its request to the model, what goes with it, failover, and the plan of steps."""
