"""Several attempts at one task: their threads, and the event about them."""
