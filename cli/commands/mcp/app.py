"""`mcode mcp` with all its commands."""

from . import editing, listing, login

app = listing.app
for command in (editing.add, editing.enable, editing.disable, editing.remove):
    app.command()(command)
for command in (login.login, login.logout):
    app.command()(command)
