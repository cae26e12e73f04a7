"""`mcode skills` with all its commands."""

from . import listing, validation

app = listing.app
app.command()(validation.create)
app.command()(validation.validate)
