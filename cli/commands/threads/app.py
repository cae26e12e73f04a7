"""`mcode threads` with all its commands."""

from .. import resume
from . import audit, fork, listing, prune, show, transfer, tree, watch

app = listing.app
for command in (
    show.show,
    watch.watch,
    fork.fork,
    fork.move,
    tree.tree,
    show.changes,
    audit.trace,
    audit.audit,
    transfer.export,
    prune.prune,
    prune.compact,
):
    app.command()(command)
app.command("answer")(resume.resume)
app.command("import")(transfer.import_archive)
