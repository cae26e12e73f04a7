"""Commands for many threads and machines: the queue, its workers, the database."""
