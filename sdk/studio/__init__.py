"""LangGraph Studio: server, graphs, check of the origin.

`mcode studio` runs LangGraph's dev server in its own process; `langgraph dev` in this repository
runs the same, for both read `langgraph.json`:

- `sdk/studio/graphs.py`: the graph. A run of the server holds the thread's lease like one of the
  command line and leaves its status on the list of threads, so Studio and the command line can
  continue each other's threads at any question.
- `memory/database/checkpointer.py`: the user's own database.
- `sdk/studio/access_control.py`: rejects every request without the secret of this start, which is
  the first part of the path, and requests of web pages other than Studio's and this machine's,
  since the server runs commands: `docs/studio.md`.
- `sdk/studio/access_control.py`: writes the user's threads into the server's own list while it
  runs, with their status and questions; it looks at the database's version twice a second.
  `sdk/studio/checkpointer.py`: the saver, which deletes and copies threads as `mcode` does.
- `sdk/studio/client_context.py`: the `Context` of the server's runs. It has no home and no
  endpoint. When dependencies are opened, it decides which mode applies and whether an endpoint may
  be used.

The server's own pickles are deleted with its working folder: otherwise its next start would run
again the runs that were active at its end. Nodes must not block its event loop, which raises
BlockingError if they do. Following a link or listing a folder is enough, so code that resolves a
path runs in a worker thread.
"""
