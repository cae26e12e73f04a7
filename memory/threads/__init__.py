"""The index of threads, their leases, forks and archives."""
