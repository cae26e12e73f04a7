"""Try MaxAgent's MCP client with public servers, and with MCP's conformance suite.

    python evals/interop/mcp_interop.py [--folder FOLDER] [--report FILE] [--only TEXT]

Everything is installed once, in FOLDER. What cannot be had on this machine is said in the report.
Exit code 1 when something was tried and not shown.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from conformance import ScenarioResult, run_suite
from guarded_servers import (
    LoginReport,
    run_fastmcp,
    run_sdk_example,
    try_login,
    try_refresh,
    try_revocation,
)
from mcp_calls import list_calls
from mcp_report import TITLE, render_part
from mcp_servers import (
    PublicServer,
    find_npm_server,
    find_pip_server,
    install_packages,
    run_everything,
)
from mcp_threads import ThreadReport, try_thread
from mcp_tour import Tour, tour_server
from programs import MissingProgramError
from report_page import replace_part

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
PARTS = ("servers", "threads", "logins", "conformance")
# One red dot
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


class Interop:
    """One run: what was tried, and what could not be had."""

    def __init__(self, folder: Path, work: Path) -> None:
        self.folder, self.work = folder, work
        self.tours: list[Tour] = []
        self.threads: list[ThreadReport] = []
        self.logins: list[LoginReport] = []
        self.results: list[ScenarioResult] = []
        self.missing: dict[str, str] = {}

    def try_part(self, part: str) -> None:
        """Try one part, if its programs can be had."""
        try:
            modules = install_packages(self.folder)
            if part == "servers":
                self.use_servers(modules, self.tour)
            elif part == "threads":
                self.use_servers(modules, self.try_thread)
            elif part == "logins":
                self.try_logins(modules)
            else:
                self.results += run_suite(modules)
        except MissingProgramError as error:
            self.missing[part] = str(error)

    def use_servers(self, modules: Path, use: Callable[[PublicServer, Path, str], None]) -> None:
        """Use each server on stdio, and `everything` on HTTP too."""
        files = self.make_folder(f"files-{use.__name__}")
        (files / "dot.png").write_bytes(PNG)
        with serve_page(self.make_folder("page")) as page:
            use(find_npm_server(modules, "everything", "stdio"), files, page)
            with run_everything(modules, self.work) as served:
                use(served, files, page)
            use(find_npm_server(modules, "filesystem", str(files)), files, page)
            memory = find_npm_server(modules, "memory")
            graph = self.make_folder("graph") / f"{use.__name__}.jsonl"
            use(replace(memory, env={"MEMORY_FILE_PATH": str(graph)}), files, page)
            repository = self.make_repository(f"repository-{use.__name__}")
            for name, arguments in (
                ("git", ("--repository", str(repository))),
                ("time", ()),
                ("fetch", ("--ignore-robots-txt", "--allow-private-ips")),
            ):
                try:
                    public = find_pip_server(self.folder, name, *arguments)
                except MissingProgramError as error:
                    self.missing[name] = str(error)
                    continue
                use(public, repository, page)

    def tour(self, public: PublicServer, folder: Path, page: str) -> None:
        """Use one server with all that it offers."""
        home = self.make_folder(f"home-{len(self.tours)}")
        calls = list_calls(public.name, folder, page)
        outputs = self.make_folder(f"outputs-{len(self.tours)}")
        self.tours.append(asyncio.run(tour_server(public, calls, home, outputs)))
        print(self.tours[-1], flush=True)

    def try_thread(self, public: PublicServer, folder: Path, page: str) -> None:
        """Use one server in a thread."""
        place = self.make_folder(f"thread-{len(self.threads)}")
        report = try_thread(public, list_calls(public.name, folder, page), place)
        self.threads.append(report)
        print(report, flush=True)

    def try_logins(self, modules: Path) -> None:
        """Log in to servers of two other makers."""
        home = self.make_folder("home-logins")
        with run_sdk_example(modules, self.work) as url:
            report, _ = asyncio.run(try_login("sdk-example", url, home))
            self.logins.append(report)
        with run_fastmcp(self.folder, self.work) as url:
            self.logins.append(asyncio.run(self.try_all_of_fastmcp(url, home)))
        print(self.logins, flush=True)

    async def try_all_of_fastmcp(self, url: str, home: Path) -> LoginReport:
        """Log in, refresh and revoke."""
        report, server = await try_login("fastmcp", url, home)
        await try_refresh(report, server, home)
        await try_revocation(report, server, home)
        return report

    def make_folder(self, name: str) -> Path:
        """Create a folder of this run."""
        folder = self.work / name
        folder.mkdir(exist_ok=True)
        return folder

    def make_repository(self, name: str) -> Path:
        """Create a repository with a commit, a change, and a file that is not in it."""
        folder = self.make_folder(name)
        git = ["git", "-C", str(folder), "-c", "user.name=me", "-c", "user.email=me@example.com"]
        subprocess.run([*git, "init", "-q"], check=True)
        for name, value in (("user.name", "me"), ("user.email", "me@example.com")):
            subprocess.run([*git, "config", name, value], check=True)
        (folder / "kept.txt").write_text("one\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "first"], check=True)
        (folder / "kept.txt").write_text("two\n")
        (folder / "new.txt").write_text("new\n")
        return folder

    @property
    def has_faults(self) -> bool:
        """Whether something was tried and not shown."""
        shown = [fault for login in self.logins for fault in login.shown.values()]
        return bool(
            any(report.faults for report in (*self.tours, *self.threads))
            or any(shown)
            or not all(result.ok for result in self.results)
        )


@contextmanager
def serve_page(folder: Path) -> Iterator[str]:
    """Serve a page on this machine; yield its address."""
    (folder / "index.html").write_text("<h1>A page to fetch</h1><p>It is short.</p>")
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
        server.shutdown()


def main() -> int:
    parser = argparse.ArgumentParser()
    default = Path(tempfile.gettempdir()) / "maxagent-interop"
    parser.add_argument("--folder", type=Path, default=default)
    parser.add_argument("--report", type=Path, default=PAGE)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        interop = Interop(options.folder, Path(work).resolve())
        for part in [options.only] if options.only else PARTS:
            interop.try_part(part)
    for name, why in interop.missing.items():
        print(f"{name} could not be had: {why}", file=sys.stderr)
    if not options.only:
        date = datetime.now(UTC).date().isoformat()
        part = render_part(
            date,
            interop.tours,
            interop.threads,
            interop.results,
            interop.logins,
            interop.missing,
        )
        replace_part(options.report, TITLE, part)
    return interop.has_faults


if __name__ == "__main__":
    sys.exit(main())
