"""Repetition: calls that repeat an earlier one, and models that do nothing else."""
