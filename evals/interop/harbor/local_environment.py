# pyright: basic, reportMissingImports=false
"""An environment of Harbor on this machine: a root of its own by `bwrap`, no container."""

import asyncio
import os
import shutil
import signal
from pathlib import Path
from typing import override

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

# Folders of the task itself; all others of this machine are seen as they are
OWN = {"app", "dev", "installed-agent", "logs", "opt", "proc", "solution", "tests"}


class LocalEnvironment(BaseEnvironment):
    """Runs a task's commands in `root`, with the programs of this machine."""

    @staticmethod
    @override
    def type() -> str:
        return "local"

    @property
    @override
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities()

    @property
    def root(self) -> Path:
        return self.trial_paths.trial_dir / "root"

    @override
    def _validate_definition(self) -> None:
        pass

    @override
    async def start(self, force_build: bool) -> None:
        for name in ("app", "logs/agent", "logs/verifier", "logs/artifacts", "tests", "opt"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        if client := os.environ.get("ACP_CLIENT"):
            (self.root / "opt" / "harbor-acp-venv").symlink_to(client)

    @override
    async def stop(self, delete: bool) -> None:
        pass

    def _place(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    @override
    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = self._place(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)

    @override
    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self._place(target_dir), dirs_exist_ok=True)

    @override
    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self._place(source_path), target_path)

    @override
    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self._place(source_dir), target_dir, dirs_exist_ok=True)

    @override
    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        process = await asyncio.create_subprocess_exec(
            *("bwrap", "--bind", str(self.root), "/", "--dev", "/dev", "--proc", "/proc"),
            *self._share_machine(),
            *("--chdir", cwd or "/app", "bash", "-c", command),
            env={**os.environ, **(self._merge_env(env) or {})},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(timeout_sec):
                stdout, stderr = await process.communicate()
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
        return ExecResult(
            stdout=stdout.decode(errors="replace"),
            stderr=stderr.decode(errors="replace"),
            return_code=process.returncode or 0,
        )

    def _share_machine(self) -> list[str]:
        flags = list[str]()
        for folder in Path("/").iterdir():
            if folder.is_symlink():
                if not self._place(str(folder)).is_symlink():
                    flags += ["--symlink", os.readlink(folder), str(folder)]
            elif folder.is_dir() and folder.name not in OWN:
                kind = "--bind" if folder.name == "tmp" else "--ro-bind"
                flags += [kind, str(folder), str(folder)]
        return flags
