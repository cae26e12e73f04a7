"""`mcode threads` with all its commands."""

from .. import resume
from . import (
    audit,
    changes,
    compact,
    fork,
    listing,
    move,
    prune,
    show,
    trace,
    transfer,
    tree,
    watch,
)

app = listing.app
for command in (
    show.show,
    watch.watch,
    fork.fork,
    move.move,
    tree.tree,
    changes.changes,
    trace.trace,
    audit.audit,
    transfer.export,
    prune.prune,
    compact.compact,
):
    app.command()(command)
app.command("answer")(resume.resume)
app.command("import")(transfer.import_archive)
