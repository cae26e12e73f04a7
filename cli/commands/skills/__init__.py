"""`mcode skills`: list, show, create and validate skills."""
