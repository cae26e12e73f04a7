"""The events of threads for clients that come and go: numbered, and gone on with after a cut."""
