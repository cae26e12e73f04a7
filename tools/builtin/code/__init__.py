"""Tools that know code: its definitions, and the notes on a folder."""
