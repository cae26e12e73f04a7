"""Child processes: launcher, supervisor, environment, capture and redaction of the output."""
