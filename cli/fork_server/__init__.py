"""A process that has loaded everything and forks: a run starts in a tenth of the time.

- `client.py`, in the process that the user started: asks for a fork, passes signals on to it, and
  ends as it ends; without a server, or with any doubt, it does nothing, and the run starts cold
- `server.py`: the process that forks; it runs nothing itself and has no thread, loop or database
- `program.py`, in the fork: takes over the caller's streams, folder, environment and umask
- `identity.py`: what must be the same for both, else a fork would not be what a start is
- `startup.py`: when a server is started, at the end of a run, and what `mcode doctor` says of it
- `caller.py`: what a forked run knows of the terminal where it was asked for

`docs/decisions/0057` has the rules.
"""
