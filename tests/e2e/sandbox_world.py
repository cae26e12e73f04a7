"""A project with secrets, and what is around it: a home, other files, listeners, a process."""

import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.process.launcher import CapturedOutput, capture_output
from maxagent.tools.protected_paths import SPELLINGS
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.workspace import Workspace

SECRET = "tiger-lily-4711"
NOBODY = 65534
PYTHON = shutil.which("python3", path="/usr/bin:/bin") or "python3"
_SECRETS = (
    "project/.env",
    "project/deep/er/server.key",
    "project/secrets/one.txt",
    "home/.ssh/id_ed25519",
    "home/.aws/credentials",
    "home/.npmrc",
    "agent/data/threads.db",
)
_STEERING = (
    ".git/HEAD",
    ".git/config",
    ".git/hooks/pre-commit",
    ".github/workflows/ci.yml",
    ".vscode/settings.json",
    "AGENTS.md",
    "CLAUDE.md",
    "lib/.git/config",
    "lib/.git/hooks/pre-commit",
)


class World:
    """In a folder that any user can enter, and that a sandbox does not hide as a whole."""

    def __init__(self, uid: int) -> None:
        parent = "/var/lib" if os.getuid() == 0 else str(Path.home())
        self.base = Path(tempfile.mkdtemp(prefix=".maxagent-test-", dir=parent))
        self.base.chmod(0o755)
        self.uid = uid
        self.project = self.base / "project"
        self._make_files()
        self._own = {(self.base / name).stat().st_ino for name in _SECRETS}
        self.ports, self._sockets = _listening(self.base)
        self._sockets["elsewhere"] = _listen_elsewhere(self.base / "outside")
        self.process = subprocess.Popen(["sleep", "1000"], env={"TOKEN": SECRET})
        self._before = self._state()

    def close(self) -> None:
        """End and remove all of it, while no other test's sandbox is built around its sockets."""
        with _no_other(fcntl.LOCK_EX):
            self._close()

    def _close(self) -> None:
        self.process.kill()
        self.process.wait()
        for item in self._sockets.values():
            item.close()
        shutil.rmtree(self.base)

    async def run(
        self, script: str, *, confined: bool = True, timeout: float = 60
    ) -> CapturedOutput:
        """Run a script of bash in the project as the model would."""
        workspace = Workspace(self.project)
        sandbox = open_sandbox(SandboxSection(), workspace, self.base / "agent")
        assert sandbox.is_on, sandbox.why_none
        env = {
            "BASE": str(self.base),
            "PID": str(self.process.pid),
            "PYTHON": PYTHON,
            "TCP": str(self.ports["tcp"]),
            "UDP": str(self.ports["udp"]),
        }
        argv = ["bash", "-c", script]
        if not confined:
            return await capture_output(argv, cwd=self.project, timeout=timeout, env=env)
        user = [f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        become = ["setpriv", *user] if self.uid != os.getuid() else []
        with _no_other(fcntl.LOCK_SH), _as_user(self.uid):
            async with sandbox.wrap(argv, self.project) as line:
                full_text = [
                    *become,
                    *line.argv,
                ]  # children are started by a process that is still root
                return await capture_output(
                    full_text, cwd=self.project, timeout=timeout, env=env, guard=line.guard
                )

    def broken(self, output: str) -> list[str]:
        """What an attack has achieved; it has failed where this is empty."""
        now = self._state()
        changed = [
            name for name in {*now, *self._before} if now.get(name) != self._before.get(name)
        ]
        lines = [f"changed: {name}" for name in changed]
        lines += [f"read: {name}" for name in self._spread(output)]
        lines += [f"heard: {kind}" for kind, item in self._sockets.items() if _was_reached(item)]
        lines += ["killed: the process"] if self.process.poll() is not None else []
        return lines

    def _make_files(self) -> None:
        for name in (*_SECRETS, "outside/file", "outside/own/file", "project/main.py"):
            path = self.base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SECRET if name in _SECRETS else "")
        (self.base / "home" / ".gitconfig").write_text("[user]\nname = A\nemail = a@b.c\n")
        for checkout in (self.project, self.project / "lib"):
            # git's template is forty files more, which every test would copy and remove
            subprocess.run(["git", "init", "-q", "--template=", checkout], check=True)
            (checkout / ".git" / "hooks").mkdir()
            (checkout / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\n")
        (self.project / "AGENTS.md").write_text("be good\n")
        (self.project / "CLAUDE.md").symlink_to("AGENTS.md")
        for name in (".vscode/settings.json", ".github/workflows/ci.yml"):
            (self.project / name).parent.mkdir(parents=True)
            (self.project / name).write_text("{}")
        for folder, folders, files in os.walk(self.base):
            for name in (folder, *(os.path.join(folder, item) for item in (*folders, *files))):
                os.chown(name, self.uid, self.uid, follow_symlinks=False)

    def _state(self) -> dict[str, str]:
        """What must stay: all that is outside, and what steers tools in the project."""
        outside = [*self.base.glob("outside/**/*"), *self.base.glob("home/**/*")]
        outside += [*self.base.iterdir(), *self.base.glob("agent/*"), *Path("/etc").iterdir()]
        watched = [*outside, *(self.project / name for name in _STEERING)]
        watched += [self.project / name for name in (".git", "lib/.git", ".github", ".vscode")]
        reserved = [self.project / name for name in SPELLINGS]
        git = [*self.project.glob(".git/*config*"), *self.project.glob(".git/commondir")]
        return {str(path): _about(path) for path in (*watched, *reserved, *git)}

    def _spread(self, output: str) -> list[str]:
        result = ["the output"] if SECRET in output else []
        files = (path for path in self.project.rglob("*") if path.is_file())
        return result + [
            str(path)
            for path in files
            if SECRET.encode() in path.read_bytes() and path.stat().st_ino not in self._own
        ]


@contextmanager
def _no_other(kind: int) -> Iterator[None]:
    """Tests in other processes share the machine's list of sockets."""
    name = f"maxagent-sandbox-tests-{os.getuid()}.lock"  # another user's cannot be opened
    with open(Path(tempfile.gettempdir(), name), "w") as file:
        fcntl.flock(file, kind)
        yield


@contextmanager
def _as_user(uid: int) -> Iterator[None]:
    """This process as another user; only root can."""
    own = os.getuid()
    if uid == own:
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setresgid(uid, uid, own)
    os.setresuid(uid, uid, own)
    try:
        yield
    finally:
        os.setresuid(own, own, own)
        os.setresgid(own, own, own)
        os.setgroups(groups)


def _about(path: Path) -> str:
    """What a file or link says, or that there is a folder."""
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    if path.is_file():
        if not os.access(path, os.R_OK):  # as `/etc/shadow` for an ordinary user
            return f"{path.stat().st_size} {path.stat().st_mtime_ns}"
        return path.read_bytes()[:1000].hex()
    return "folder" if path.is_dir() else "socket" if path.exists() else "missing"


def _listening(base: Path) -> tuple[dict[str, int], dict[str, socket.socket]]:
    """Sockets of all kinds; the system keeps what comes to them until it is asked for."""
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    names, abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
    names.bind(str(base / "outside" / "service.sock"))
    os.chmod(base / "outside" / "service.sock", 0o777)
    abstract.bind(f"\0maxagent-{base.name}")
    names.listen()
    abstract.listen()
    sockets = {"tcp": tcp, "udp": udp, "unix": names, "abstract": abstract}
    sockets |= {kind: socket.socket(socket.AF_UNIX) for kind in ("relative", "renamed")}
    sockets["datagrams"] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sockets["renamed"].bind(str(base / "outside" / "first.sock"))
    os.rename(base / "outside" / "first.sock", base / "outside" / "renamed.sock")
    sockets["datagrams"].bind(str(base / "outside" / "datagrams.sock"))
    with chdir(base / "outside"):
        sockets["relative"].bind("relative.sock")
    for kind in ("relative", "renamed", "datagrams"):
        os.chmod(base / "outside" / f"{kind}.sock", 0o777)
        if kind != "datagrams":
            sockets[kind].listen()
    for item in sockets.values():
        item.setblocking(False)
    return {kind: sockets[kind].getsockname()[1] for kind in ("tcp", "udp")}, sockets


def _listen_elsewhere(outside: Path) -> socket.socket:
    """A listener made in another network, which this network's list of sockets does not name."""
    ours, theirs = socket.socketpair()
    listens = (
        "import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind('elsewhere.sock')\n"
        "os.chmod('elsewhere.sock', 0o777); s.listen()\n"
        "socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b'x'], [s.fileno()])"
    )
    with ours, theirs:
        line = ["unshare", "-n" if os.getuid() == 0 else "-rn", PYTHON, "-ISc", listens]
        number = theirs.fileno()
        subprocess.run([*line, str(number)], cwd=outside, pass_fds=[number], check=True)
        _, [descriptor], _, _ = socket.recv_fds(ours, 1, 1)
    listener = socket.socket(fileno=descriptor)
    listener.setblocking(False)
    return listener


def _was_reached(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_DGRAM:
            return bool(listener.recv(100))
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True
