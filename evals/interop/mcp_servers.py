"""Public MCP servers, pinned, installed in folders of their own, and how each is started."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from programs import MissingProgramError, find_free_port, run_installer, run_server

SCOPE = "@modelcontextprotocol"
# Node of its own: the suite needs 22, the servers are older than that
PACKAGES = {
    "node": "24.21.0",
    f"{SCOPE}/server-everything": "2026.8.31",
    f"{SCOPE}/server-filesystem": "2026.8.31",
    f"{SCOPE}/server-memory": "2026.8.31",
    f"{SCOPE}/sdk": "1.32.2",
    f"{SCOPE}/conformance": "0.2.0-alpha.12",
}
DISTRIBUTIONS = {
    "mcp-server-git": "2026.10.19",
    "mcp-server-time": "2026.10.19",
    "mcp-server-fetch": "2026.10.24",
    "fastmcp": "4.1.2",
}


@dataclass(frozen=True)
class PublicServer:
    """A server, as `.mcp.json` names it."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def definition(self) -> dict[str, object]:
        """Its entry in `.mcp.json`."""
        if self.url:
            return {"type": "http", "url": self.url}
        return {"command": self.command[0], "args": [*self.command[1:]], "env": {**self.env}}


def install_packages(folder: Path) -> Path:
    """Install the npm packages once; return `node_modules`. Raises MissingProgramError."""
    modules = folder / "mcp" / "node_modules"
    if not (modules / SCOPE / "conformance").exists():
        pinned = [f"{name}@{version}" for name, version in PACKAGES.items()]
        flags = ["--no-audit", "--no-fund", "--loglevel=error"]
        run_installer(["npm", "install", "--prefix", str(modules.parent), *flags, *pinned])
    return modules


def find_node(modules: Path) -> str:
    """Return the command of the installed Node."""
    command = modules / ".bin" / "node"
    if not command.exists():
        raise MissingProgramError("npm has installed no Node")
    return str(command)


def install_distribution(folder: Path, name: str) -> Path:
    """Install a distribution with pip in an environment of its own, once; return its `bin`."""
    place = folder / name
    if not (place / "bin" / name).exists():
        run_installer([sys.executable, "-m", "venv", str(place)])
        pinned = f"{name}=={DISTRIBUTIONS[name]}"
        run_installer([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", pinned])
    return place / "bin"


def find_npm_server(modules: Path, name: str, *arguments: str) -> PublicServer:
    """Return a server of npm on stdio."""
    main_file = modules / SCOPE / f"server-{name}" / "dist" / "index.js"
    return PublicServer(name, (find_node(modules), str(main_file), *arguments))


def find_pip_server(folder: Path, name: str, *arguments: str) -> PublicServer:
    """Return a server of pip on stdio."""
    distribution = f"mcp-server-{name}"
    command = install_distribution(folder, distribution) / distribution
    return PublicServer(name, (str(command), *arguments))


@contextmanager
def run_everything(modules: Path, work: Path) -> Iterator[PublicServer]:
    """Run the server `everything` on Streamable HTTP."""
    port = find_free_port()
    main_file = modules / SCOPE / "server-everything" / "dist" / "index.js"
    command = [find_node(modules), str(main_file), "streamableHttp"]
    url = f"http://127.0.0.1:{port}/mcp"
    with run_server(command, work, url, {"PORT": str(port), "PATH": os.environ["PATH"]}):
        yield PublicServer("everything", url=url)
