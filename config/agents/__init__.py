"""Agent profiles: parsing, rules, and the registry of built-in and custom ones."""
