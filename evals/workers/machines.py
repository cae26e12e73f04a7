"""Machines on one machine: each has a network, a name and a folder of its own, and no other's.

A machine is a network namespace with an address on a bridge; what is started on it also has its own
mounts, in which the folders of the others are empty, and its own host name. Needs root.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER = "10.213.77.1"
_BRIDGE = "mcode-net"
_START = """
hostname "$1"
for other in $2; do mount -t tmpfs -o size=4k none "$other"; done
cd "$3" && shift 3 && exec "$@"
"""


class NoMachinesError(Exception):
    """Machines cannot be had here, and why."""


@dataclass(frozen=True)
class Machine:
    """One of them; `folder` is its home, which no other sees."""

    name: str
    folder: Path
    others: Sequence[Path]
    environ: dict[str, str]

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run a program to its end."""
        return subprocess.run(
            self._wrap(command), env=self.environ, capture_output=True, text=True, timeout=300
        )

    def start(self, *command: str) -> "subprocess.Popen[str]":
        """Start a program; its PID is that of the program itself."""
        return subprocess.Popen(
            self._wrap(command),
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def plug(self, is_in: bool) -> None:
        """Connect its cable, or pull it out."""
        _ip("link", "set", f"mc-{self.name}", "up" if is_in else "down")

    def _wrap(self, command: Sequence[str]) -> list[str]:
        names = " ".join(map(str, self.others))
        inside = ["sh", "-ec", _START, "sh", self.name, names, str(self.folder), *command]
        return ["ip", "netns", "exec", f"mc-{self.name}", "unshare", "--mount", "--uts", *inside]


@contextmanager
def open_machines(folder: Path, names: Sequence[str]) -> Iterator[list[Machine]]:
    """Build machines whose programs reach `SERVER`; raises NoMachinesError where that cannot be."""
    if os.geteuid() != 0:
        raise NoMachinesError("network namespaces need root")
    folders = [folder / name for name in names]
    with ExitStack() as held:
        try:
            _build_bridge(held)
            for number, place in enumerate(folders):
                place.mkdir()
                _build_machine(held, place.name, f"10.213.77.{number + 2}/24")
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", "") or error
            raise NoMachinesError(f"network namespaces: {reason}".strip()) from error
        yield [
            Machine(
                place.name,
                place,
                [other for other in folders if other != place],
                {
                    "PATH": os.environ["PATH"],
                    "HOME": str(place),
                    "LANG": "C.UTF-8",
                    "MAXAGENT_HOME": str(place / "home"),
                },
            )
            for place in folders
        ]


def _build_bridge(held: ExitStack) -> None:
    _ip("link", "add", _BRIDGE, "type", "bridge")
    held.callback(_ip, "link", "del", _BRIDGE)
    _ip("address", "add", f"{SERVER}/24", "dev", _BRIDGE)
    _ip("link", "set", _BRIDGE, "up")


def _build_machine(held: ExitStack, name: str, address: str) -> None:
    link = f"mc-{name}"
    _ip("netns", "add", link)
    held.callback(_ip, "netns", "del", link)
    _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", link)
    _ip("link", "set", link, "master", _BRIDGE, "up")
    for options in (("address", "add", address, "dev", "eth0"), ("link", "set", "eth0", "up")):
        _ip("-n", link, *options)
    _ip("-n", link, "link", "set", "lo", "up")


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
