"""What a program holds of its runs: those under way, and what each has led to."""
