"""Static analysis of command lines: parsed, never run."""
