"""What agents and users do to files: random edits, commands, renames, links, modes."""

import os
import shlex
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

NAMES = [
    "a.txt",
    "b.txt",
    "run.sh",
    "src/c.py",
    "src/deep/d.py",
    "src/e",
    "docs",
    "docs/f.md",
    "docs/g/h.md",
    "two\nlines ü.txt",
    "no \udcff utf-8",
    "-n",
]
IGNORED = "build.log"
FOLDERS = ["src", "docs", "src/deep", "docs/g"]
COMMANDS = [
    "sed -i '{line}s/.*/{new}/' -- {file}",
    "sed -i '{line}d' -- {file}",
    "sed -i 's/$/\\r/' -- {file}",
    "printf '%s\\n' {new} {new}x >> {file}",
    "printf '%s\\r\\n' {new} >> {file}",
    "printf 'a\\0b%s' {new} > {file}",
    "mkdir -p {folder}; printf '%s\\n' {new} > {folder}/new.txt",
    ": > {file}",
    "mkdir -p $(dirname -- {other}); mv -f -- {file} {other}",
    "mkdir -p $(dirname -- {other}); cp -- {file} {other}",
    "mv -- {folder} {folder}.moved; ls",
    "rm -f -- {file}",
    "rm -rf -- {folder}",
    "rm -rf -- {file} {other}",
    "chmod +x -- {file}; test -d {other} || chmod -x -- {other}",  # only root enters it then
    "test -d {file} || chmod 600 -- {file}; rm -f -- {other}",
    "chmod 700 -- {folder}; mkdir -p {folder}/bare",
    "rmdir -- {folder}; mkdir -p -m 750 {folder}",
    "ln -s -- a.txt {file}",
    "ln -sfn -- {other} {file}",
    "ln -sfn -- ../nowhere {file}",
    "rm -rf -- {file}; mkdir -p {file}; echo {new} > {file}/inside",
    "rm -rf -- {folder}; echo {new} > {folder}",
    "mv -- {file} {file}.swap; mv -- {other} {file}; mv -- {file}.swap {other}",
    "git checkout -q -- .",
    "git checkout -q -- {file}",
    "git add -A; git -c user.name=n -c user.email=e commit -qm x",
    "git stash -q",
    "git rm -qf -- {file}",
]


@dataclass
class Actor:
    """Somebody who changes files; every line that they write is unique and says whose it is."""

    folder: Path
    dice: Random
    sign: str
    written: int = 0

    def line(self) -> str:
        """A line that nobody has written before."""
        self.written += 1
        return f"{self.sign}{self.written}"

    def command(self) -> None:
        """Run a shell command, which may well fail."""
        file, other = self.dice.sample(NAMES, 2)
        command = self.dice.choice(COMMANDS).format(
            line=self.dice.randint(1, 12),
            new=self.line(),
            file=_quoted(self._likely() or file),
            other=_quoted(other),
            folder=_quoted(self.dice.choice(FOLDERS)),
        )
        subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(self.folder.parent)},
        )

    def choose(self) -> str:
        """A file for a tool to write, sometimes one that `.gitignore` names."""
        if self.dice.random() < 0.1:
            return IGNORED
        return self._likely() or self.dice.choice(NAMES)

    def edit(self, name: str) -> None:
        """Edit or write the file as a tool does, not through links."""
        path = self.folder / name
        if path.resolve() == path.absolute():
            with suppress(OSError):
                self._edit(path)

    def meddle(self) -> None:
        """Do what a user does in between."""
        name = self.choose()
        with suppress(OSError):
            self.dice.choice([self._edit, self._edit, self._small, self._small, self._rough])(
                self.folder / name
            )

    def _likely(self) -> str | None:
        """Mostly a file that is there."""
        there = [name for name in NAMES if (self.folder / name).is_file()]
        if not there or self.dice.random() < 0.2:
            return None
        return there[0] if self.dice.random() < 0.3 else self.dice.choice(there)

    def _edit(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and self.dice.random() < 0.75:
            return self._small(path)
        lines = [self.line() for _ in range(self.dice.choice([0, 3, 20, 40]))]
        ending = self.dice.choice(["\n", "\n", "\r\n"])
        last = self.dice.choice(["", "", self.line()])  # of its own: the model knows lines by it
        path.write_bytes(ending.join([*lines, last]).encode())

    def _small(self, path: Path) -> None:
        """Change, add or take out a line."""
        lines = path.read_bytes().splitlines(keepends=True)
        at = self.dice.randint(0, max(len(lines) - 1, 0))
        new = [self.line().encode() + b"\n"]
        lines[at : at + self.dice.choice([0, 1, 1, 2])] = self.dice.choice([new, new, []])
        path.write_bytes(b"".join(lines))

    def _rough(self, path: Path) -> None:
        act: Callable[[], object] = self.dice.choice(
            [
                path.unlink,
                lambda: path.chmod(self.dice.choice([0o644, 0o755])),
                lambda: path.rename(path.with_name(f"{path.name}.{self.line()}")),
                lambda: path.write_bytes(b"\0" + self.line().encode() + b"\n"),
                lambda: path.with_name(f"new {self.line()}").write_text(f"{self.line()}\n"),
                lambda: path.symlink_to(self.line()),
            ]
        )
        act()


def furnish(folder: Path, dice: Random) -> None:
    """A project to begin with, in a git repository or not."""
    first = Actor(folder, dice, "first")
    for name in NAMES:
        path = folder / name
        if dice.random() < 0.7 and not path.exists() and name != "docs":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{first.line()}\n" for _ in range(dice.randint(1, 40))))
    (folder / ".gitignore").write_text("*.log\n")
    if dice.random() < 0.5:
        identity = "-c user.name=n -c user.email=e"
        command = f"git init -q && git add -A && git {identity} commit -qm first"
        subprocess.run(["bash", "-c", command], cwd=folder, check=True, capture_output=True)


def _quoted(name: str) -> str:
    """For a shell, and not to be taken for a flag."""
    return shlex.quote(f"./{name}" if name.startswith("-") else name)
