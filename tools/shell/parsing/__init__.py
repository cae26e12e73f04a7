"""Parsing of command lines into simple commands, with variables and wrappers resolved."""
