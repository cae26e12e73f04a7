"""The group `mcode skills`, with its commands."""

from . import listing, validation

app = listing.app
app.command()(validation.create)
app.command()(validation.validate)
