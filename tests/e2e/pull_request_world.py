"""A checkout, the stand-in of its host, and `mcode --pr` in it."""

import subprocess

from git_checkout import GITHUB_URL, GITLAB_URL, GitCheckout
from hosting_server import TOKEN, HostingServer
from program import Ended, Program

TESTED = {"LLC_TASK__TEST_COMMAND": "grep -qx new a.txt"}
EDITS = {
    "name": "edit",
    "args": {"file_path": "a.txt", "old_string": "old", "new_string": "new"},
}
TURNS = [
    {"text": "SMALL: a.txt"},
    {"tool_calls": [{"name": "read_file", "args": {"path": "a.txt"}}]},
    {"tool_calls": [EDITS]},
    {"text": "a.txt says new."},
    {"text": "Accepted: it does."},
]
TRUSTING = ("--trust", "--apply", "--mode", "auto")


class World:
    """The project has two files in one commit, which the remote has, too."""

    def __init__(self, program: Program, hosting: HostingServer, kind: str) -> None:
        url = GITHUB_URL if kind == "github" else GITLAB_URL
        bare = program.project.parent / "remote.git"
        self.checkout, self.program, self.hosting = (
            GitCheckout(program.project, bare, url),
            program,
            hosting,
        )
        self.checkout.write("a.txt", "old\n")
        self.checkout.write("b.txt", "mine\n")
        self.base = self.checkout.commit()
        name = kind.upper()
        self.environ = {f"{name}_API_URL": hosting.url, f"{name}_TOKEN": TOKEN, **TESTED}
        self.environ["GIT_CONFIG_NOSYSTEM"] = "1"

    def task(self, *options: str, **environ: str) -> Ended:
        return self.program.task(*TRUSTING, *options, **{**self.environ, **environ})

    def resume(self, thread: str, *options: str, **environ: str) -> Ended:
        return self.program.resume(thread, *options, **{**self.environ, **environ})

    def start(self, *options: str) -> "subprocess.Popen[str]":
        return self.program.start("task", "Say new.", *TRUSTING, *options, **self.environ)
