"""`mcode mcp` with all its commands."""

from . import editing, listing, login

app = listing.app
app.command(cls=editing.AddCommand)(editing.add)
for command in (editing.enable, editing.disable, editing.remove):
    app.command()(command)
for command in (login.login, login.logout):
    app.command()(command)
