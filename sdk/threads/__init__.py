"""What can be read and changed of a thread: steps, transcript, titles, usage, time travel."""
