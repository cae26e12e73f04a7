"""`mcode mcp` with all its commands."""

from . import editing, listing

app = listing.app
for command in (editing.add, editing.enable, editing.disable, editing.remove):
    app.command()(command)
