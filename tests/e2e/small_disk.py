"""A disk of a given size to fill, or to write nothing on: a tmpfs, which only root can mount."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(target_path: Path, size: str) -> Iterator[Path]:
    """Mount a tmpfs of that size (`200k`); skips the test where that is impossible."""
    target_path.mkdir()
    mounted = _mount(target_path, "-t", "tmpfs", "-o", f"size={size}", "tmpfs")
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    try:
        yield target_path
    finally:
        subprocess.run(["umount", "--lazy", target_path], check=True)


def remount(target_path: Path, options: str) -> None:
    """Change a mounted disk: `ro`, or `size=20m`."""
    _mount(target_path, "-o", f"remount,{options}").check_returncode()


def fill(target_path: Path) -> None:
    """Write until the disk is full."""
    with (target_path / "big").open("wb", buffering=0) as file:
        while True:
            try:
                os.write(file.fileno(), bytes(4096))
            except OSError:
                return


def _mount(target_path: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["mount", *options, target_path], capture_output=True, text=True)
