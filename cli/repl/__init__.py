"""The conversation at a terminal: a prompt at the bottom, output above it.

At the prompt `cli/repl/repl.py` holds three tasks together: the prompt that is shown
(`prompt/live_prompt.py`; its keys, its layout), the conversation that handles one line after the
other (`input_loop.py`, `line_dispatch.py`), and the runner that is opened in the background
(`session/background_startup.py`). They share the `Session`; `session/turn.py` runs a message as an
`InteractiveRun` and shows it. The reasons: `docs/decisions/0015`.

`cli/repl/command.py` is the entry point of a conversation: the prompt (`cli/repl/`), one message
(`cli/execution/print_mode.py`), or the lines of stdin (`cli/execution/stream_json.py`). Only the
answer reaches stdout (`cli/rendering/chat_renderer.py`).
"""
