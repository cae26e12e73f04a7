"""`mcode task --pr` against a bare remote and stand-ins of the hosts' APIs."""

from collections.abc import Iterator

import pytest
from git_checkout import GITHUB_URL, GITLAB_URL, GitCheckout
from hosting_server import TOKEN, HostingServer
from program import Ended, Program
from provider import Provider

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


@pytest.fixture
def hosting() -> Iterator[HostingServer]:
    with HostingServer() as server:
        yield server


@pytest.fixture(params=["github", "gitlab"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


class World:
    """A checkout, its host, and `mcode` in it."""

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
        return self.program.task(
            *("--trust", "--apply", "--mode", "auto", *options), **{**self.environ, **environ}
        )

    def resume(self, thread: str, *options: str, **environ: str) -> Ended:
        return self.program.resume(thread, *options, **{**self.environ, **environ})


@pytest.fixture
def world(program: Program, provider: Provider, hosting: HostingServer, kind: str) -> World:
    provider.script(TURNS)
    return World(program, hosting, kind)


def test_yes_opens_one_request_for_exact_changes(world: World) -> None:
    world.checkout.write("b.txt", "mine, uncommitted\n")
    ended = world.task("--pr=yes")
    assert (ended.code, ended.outcome) == (0, "verified")
    [branch] = world.checkout.branches
    assert world.checkout.show_commit(branch) == (world.base, ["a.txt"])
    [opened] = ended.told("pull_request")
    assert (opened["branch"], opened["number"]) == (branch, 1)
    assert ended.last["pull_request"]["url"] == opened["url"]
    [request] = world.hosting.requests
    text = request.get("body") or request["description"]
    assert "`grep -qx new a.txt`: exit code 0." in text
    assert "- `a.txt` (modified)" in text
    assert ended.last["thread_id"] in text
    assert world.checkout.git("status", "--porcelain").split("\n") == ["M a.txt", " M b.txt"]
    assert world.checkout.git("branch", "--show-current") == "main"
    assert world.checkout.git("worktree", "list").count("\n") == 0
