"""The process that has loaded what a run needs, and forks for each: `cli/fork_server`."""

import fcntl
import gc
import os
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from .app import complete, prepare_command_line
from .fork_server import channel, identity
from .fork_server.client import RUNS
from .fork_server.server import Server
from .i18n.catalogs import load_catalog
from .lazy_imports import defer_packages

FLOORS = ("config", "memory", "models", "tools", "nodes", "graphs", "sdk", "cli")
_OTHERS = (
    "anyio._backends._asyncio",
    "httpcore2",
    "langchain_core.messages.block_translators.langchain_v0",
    "langchain_core.tracers.context",
    "langchain_core.tracers.run_collector",
    "langchain_core.tracers.stdout",
    "ruamel.yaml",
    "tree_sitter",
    "truststore",
    "typer._adapters",
    "typer._click.decorators",
)
"""What libraries load at their first use."""
_SEPARATE = (
    "cli.acp",
    "cli.commands",
    "cli.entry",
    "cli.preload",
    "cli.prompts",
    "cli.remote",
    "cli.repl",
    "cli.web",
    "memory.database.postgres",
    "memory.database.server_tables",
    "memory.threads.server_lease",
    "models.cassette",
    "models.langchain_responses",
    "sdk.studio",
    "sdk.transfer",
    "tools.filesystem.image_scaling",
    "tools.mcp",
)
"""What most runs never load: servers, the conversation's screen, large libraries of few."""


def main(folder: Path, key: str) -> None:
    """Serve, unless another process does so for this key, or this one is not what it names."""
    lock_file = channel.locate_lock(folder, key)
    lock = os.open(lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    os.utime(lock_file)
    if identity.compute_key(os.environ, identity.read_confinement("self")) != key:
        return
    loading_since = time.time_ns()
    load_everything()
    gc.collect()
    gc.freeze()
    with _listen(folder, key) as listener:
        try:
            Server(listener, key, folder / key, complete, loading_since).serve()
        finally:
            (folder / key).unlink(missing_ok=True)
            lock_file.unlink(missing_ok=True)


def _listen(folder: Path, key: str) -> socket.socket:
    """Listen at the socket of the key, in place of one that a killed server left."""
    (folder / key).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    directory = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    os.umask(0o177)
    listener.bind(channel.get_address(directory, key))
    os.close(directory)
    listener.listen(64)
    return listener


def load_everything() -> None:
    """Load what any run may need, and what is read once and is the same for all."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    from ..models.thinking import decide_thinking
    from ..tools.runtime.registry import load_all_tools
    from ..tools.shell.parsing.syntax_tree import parse_tree

    defer_packages()
    package = str(__package__).partition(".")[0]
    for floor in FLOORS:
        root = import_module(f"{package}.{floor}")
        for module in walk_packages(root.__path__, f"{package}.{floor}."):
            if not module.name.removeprefix(f"{package}.").startswith(_SEPARATE):
                _load(module.name)
    prepare_commands(RUNS)
    for name in _OTHERS:
        _load(name)
    for tool in load_all_tools():
        convert_to_openai_tool(tool)
    decide_thinking("auto", "", "")
    parse_tree("true")
    for language in ("en", "zh"):
        load_catalog("mcode", language)


def prepare_commands(names: Iterable[str]) -> None:
    """Build the commands, with what checks their options' values: a quarter of a fork's start."""
    pending = [prepare_command_line()]
    for name in names:
        with suppress(Exception):  # as below
            pending.append(pending[0].commands[name])
    for command in pending:
        for param in command.params:
            param.get_runtime_param()
        if isinstance(below := getattr(command, "commands", None), dict):
            pending += below.values()


def _load(name: str) -> None:
    with suppress(Exception):  # of an extra that is not installed: a run that needs it says so
        import_module(name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
