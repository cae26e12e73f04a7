"""Safe file access beneath the project: reading, atomic writes, transactions, listing."""
