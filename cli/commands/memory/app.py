"""`mcode memory` with all its commands."""

from . import editing, inbox, listing, transfer

app = listing.app
for command in (editing.add, editing.edit, editing.forget, editing.link):
    app.command()(command)
app.add_typer(inbox.app, name="inbox")
app.command()(transfer.export)
app.command("import")(transfer.import_cards)
app.command()(transfer.purge)
