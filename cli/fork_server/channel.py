"""The words between the three: the process that asks, the server, and the fork.

The caller sends `RUN` with its folder and open files, then its request as a line of JSON. The fork
answers `READY` with its number, or `COLD`; it does nothing before it reads `GO`, so what was given
up too late never runs twice. Then the server tells of stops and of the end.
"""

import json
import os
import socket
import stat
import struct
from pathlib import Path
from typing import Any

RUN, STATUS, QUIT = b"R", b"?", b"Q"
GO = b"G"
READY, COLD, STOPPED, CODE, ENDED = b"P", b"C", b"S", b"X", b"E"
_NOTICE = struct.Struct("!ci")
MAX_FILES = 60
MAX_REQUEST_BYTES = 8_000_000


def locate_servers(home: Path) -> Path:
    """Return the private folder of the sockets; it may not exist."""
    return home / "data" / "fork-servers"


def locate_lock(folder: Path, key: str) -> Path:
    """Return the file that a server locks from its start to its end."""
    return folder / f"{key}.lock"


def connect(home: Path, key: str, timeout: float) -> socket.socket:
    """Connect to the server of a key; raise OSError without one, or where others could write."""
    folder = os.open(locate_servers(home), os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
    connection = socket.socket(socket.AF_UNIX)
    try:
        status = os.fstat(folder)
        if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
            raise PermissionError
        connection.settimeout(timeout)
        connection.connect(get_address(folder, key))
    except OSError:
        connection.close()
        raise
    finally:
        os.close(folder)
    return connection


def get_address(folder: int, key: str) -> str:
    """Return the socket's address, which is short however long the folder's path is."""
    return f"/proc/self/fd/{folder}/{key}"


def send_notice(connection: socket.socket, kind: bytes, number: int) -> None:
    """Send one of the short answers."""
    connection.sendall(_NOTICE.pack(kind, number))


def receive_notice(connection: socket.socket) -> tuple[bytes, int]:
    """Receive one; raise EOFError at the end."""
    data = b""
    while len(data) < _NOTICE.size:
        part = connection.recv(_NOTICE.size - len(data))
        if not part:
            raise EOFError
        data += part
    return _NOTICE.unpack(data)


def send_request(connection: socket.socket, request: dict[str, Any], files: list[int]) -> None:
    """Ask for a fork that has these open files."""
    socket.send_fds(connection, [RUN], files)
    line = json.dumps(request).encode() + b"\n"
    connection.sendall(struct.pack("!I", len(line)) + line)


def receive_request(connection: socket.socket) -> dict[str, Any]:
    """Receive a request whose open files came before; raise ValueError if it is none."""
    with connection.makefile("rb", buffering=0) as stream:
        (size,) = struct.unpack("!I", stream.read(4))
        if size > MAX_REQUEST_BYTES:
            raise ValueError(size)
        line = b""
        while len(line) < size and (part := stream.read(size - len(line))):
            line += part
    return json.loads(line)
