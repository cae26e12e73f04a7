"""What a command line would do, as far as its text shows it: parsed, never run."""
