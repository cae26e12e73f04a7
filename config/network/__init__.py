"""The HTTP client of everything that leaves: proxies, certificates, bounds, addresses."""
