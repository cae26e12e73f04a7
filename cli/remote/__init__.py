"""`mcode --remote URL`: the terminal as a client of a server that runs the threads.

`address` says where the server is and with which token it is asked. `server` asks one of
`mcode web`, `agent_server` one that speaks the Agent Protocol, both over a `connection`. `runner`
is a runner whose runs are there; `commands` and `threads` are what `mcode` can do with one.
"""
