"""`mcode task --pr` against a bare remote and stand-ins of the hosts' APIs."""

import json
import signal
import subprocess
from collections.abc import Iterator

import pytest
from hosting_server import HostingServer
from program import Program
from provider import Provider
from pull_request_world import EDITS, TURNS, World


@pytest.fixture
def hosting() -> Iterator[HostingServer]:
    with HostingServer() as server:
        yield server


@pytest.fixture(params=["github", "gitlab"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


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


def test_question_shows_all_and_another_shell_answers(world: World) -> None:
    asked = world.task("--pr")
    assert (asked.code, asked.last["kind"], world.checkout.branches) == (4, "pull_request", [])
    [request] = asked.last["action_requests"]
    assert "+new" in request["diff"]
    assert {"repository", "remote", "branch", "title", "body"} <= request["args"].keys()
    thread = asked.last["thread_id"]
    again = world.resume(thread)
    assert again.last["id"] == asked.last["id"]
    stdout = world.program.run("threads", "show", thread).stdout
    assert f"? pull_request {request['args']['repository']}" in stdout
    assert {asked.last["id"][:8], "+new", "branch:"} <= set(stdout.split())
    [row] = json.loads(world.program.run("threads", "list", "--json").stdout)
    assert (row["status"], row["questions"]) == ("waiting", 1)
    ended = world.resume(thread, "--question", asked.last["id"][:8], "--approve")
    assert (ended.code, ended.outcome) == (0, "verified")
    assert world.checkout.branches == [ended.last["pull_request"]["branch"]]
    assert len(world.hosting.requests) == 1
    repeated = world.resume(thread)
    assert (repeated.code, repeated.told("pull_request")) == (0, [])
    assert repeated.last["pull_request"] == ended.last["pull_request"]


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_rejection_opens_nothing_and_is_final(world: World) -> None:
    asked = world.task("--pr")
    ended = world.resume(asked.last["thread_id"], "--reject", "not now")
    assert (ended.code, ended.last["pull_request"]) == (0, None)
    assert world.resume(asked.last["thread_id"]).last["type"] == "completion"
    assert (world.checkout.branches, world.hosting.requests) == ([], [])


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_another_remote_is_another_question(world: World) -> None:
    asked = world.task("--pr")
    world.checkout.git("remote", "set-url", "origin", "https://github.com/octo/other.git")
    ended = world.resume(asked.last["thread_id"], "--approve")
    assert (ended.code, world.checkout.branches, world.hosting.requests) == (2, [], [])
    assert "github.com/octo/other" in ended.last["message"]
    again = world.resume(asked.last["thread_id"])
    assert (again.code, again.last["kind"]) == (4, "pull_request")
    assert again.last["action_requests"][0]["args"]["repository"] == "github.com/octo/other"


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_unverified_task_asks_in_spite_of_yes(world: World, provider: Provider) -> None:
    provider.script([*TURNS[:4], {"text": "Accepted."}])
    asked = world.task("--pr=yes", "--skip-tests")
    assert (asked.code, asked.last["kind"]) == (4, "pull_request")


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_file_with_other_changes_is_asked(world: World, provider: Provider) -> None:
    world.checkout.write("a.txt", "old\n\n\n\n\nend\n")
    base = world.checkout.commit("more lines")
    world.checkout.write("a.txt", "old\n\n\n\n\nend\nmine, uncommitted\n")
    asked = world.task("--pr=yes")
    assert (asked.code, asked.last["kind"]) == (4, "pull_request")
    [request] = asked.last["action_requests"]
    assert request["args"]["mixed"] == ["a.txt"]
    ended = world.resume(asked.last["thread_id"], "--approve")
    branch = ended.last["pull_request"]["branch"]
    assert world.checkout.show_commit(branch) == (base, ["a.txt"])
    assert world.checkout.remote("show", f"{branch}:a.txt") == "new\n\n\n\n\nend"
    assert world.checkout.git("diff", "--", "a.txt").count("\n+") == 3  # `+++`, new, mine


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_secret_stops_the_push_without_being_named(world: World, provider: Provider) -> None:
    secret = "ghp_" + "Zz9x" * 9
    call = {**EDITS, "args": {**EDITS["args"], "new_string": f"new\ntoken = {secret}"}}
    provider.script([*TURNS[:2], {"tool_calls": [call]}, *TURNS[3:]])
    ended = world.task("--pr=yes")
    assert (ended.code, ended.last["type"]) == (1, "error")
    assert "a.txt:2 (GitHub token)" in ended.last["message"]
    assert secret not in ended.stdout + ended.stderr
    assert (world.checkout.branches, world.hosting.requests) == ([], [])


@pytest.mark.parametrize("kind", ["github"], indirect=True)
@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "pre-push"])
def test_refusing_hook_stops_until_it_is_repaired(hook: str, world: World) -> None:
    world.checkout.hook(hook, "echo 'the hook says no' >&2; exit 1")
    ended = world.task("--pr=yes")
    assert (ended.code, ended.last["type"]) == (1, "error")
    assert "the hook says no" in ended.last["message"]
    assert (world.checkout.branches, world.hosting.requests) == ([], [])
    assert world.checkout.git("worktree", "list").count("\n") == 0
    world.checkout.hook(hook, "exit 0")
    thread = ended.last["thread_id"]
    assert "trusted folder" in world.resume(thread).last["message"]
    ended = world.resume(thread, "--trust")
    assert (ended.code, world.checkout.branches) == (0, [ended.last["pull_request"]["branch"]])


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_hooks_find_the_commit_and_ignored_folders(world: World) -> None:
    world.checkout.write(".gitignore", "tools/\n")
    world.checkout.commit("ignore")
    world.checkout.write("tools/lint", "fine\n")
    script = (
        "grep -q fine tools/lint && grep -qx new a.txt && echo formatted >> a.txt && git add a.txt"
    )
    world.checkout.hook("pre-commit", script)
    ended = world.task("--pr=yes")
    branch = ended.last["pull_request"]["branch"]
    assert world.checkout.remote("show", f"{branch}:a.txt") == "new\nformatted"
    assert (world.program.project / "a.txt").read_text() == "new\n"


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_hook_that_adds_other_files_stops_it(world: World) -> None:
    world.checkout.hook("pre-commit", "echo more > c.txt; git add c.txt")
    ended = world.task("--pr=yes")
    assert (ended.code, world.checkout.branches) == (1, [])
    assert "c.txt" in ended.last["message"]
    assert world.checkout.git("branch", "--list", "mcode/*") == ""


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_default_branch_is_never_pushed_to(world: World) -> None:
    asked = world.task("--pr")
    world.hosting.default_branch = asked.last["action_requests"][0]["args"]["branch"]
    ended = world.resume(asked.last["thread_id"], "--approve")
    assert (ended.code, world.checkout.branches, world.hosting.requests) == (2, [], [])
    assert "will not push to" in ended.last["message"]


@pytest.mark.parametrize("kind", ["github"], indirect=True)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("git remote remove origin", "no remote"),
        (
            "git remote set-url origin https://code.example/octo/demo.git",
            "not known to be a GitHub",
        ),
        ("git remote set-url origin /somewhere", "is not a repository on a host"),
        ("git config user.useConfigOnly true; git config --unset user.email", "who you are"),
        ("rm -rf .git", "not in a git repository"),
        ("rm -rf .git; git init -q", "no commit"),
        ("unset GITHUB_TOKEN", "not logged in"),
    ],
)
def test_what_is_missing_is_reported_before_any_request(
    change: str, told: str, world: World, provider: Provider
) -> None:
    environ = dict(world.environ)
    if change.startswith("unset"):
        del environ["GITHUB_TOKEN"]
    else:
        subprocess.run(["sh", "-c", change], cwd=world.program.project, check=True)
    ended = world.program.task("--trust", "--pr", output="text", **environ)
    assert (ended.code, provider.requests) == (2, [])
    assert told in ended.stderr
    assert "hint:" in ended.stderr


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_untrusted_folder_opens_no_request(world: World, provider: Provider) -> None:
    world.checkout.write("AGENTS.md", "Be kind.\n")
    ended = world.program.task("--pr", output="text", **world.environ)
    assert (ended.code, provider.requests) == (2, [])
    assert "trusted folder" in ended.stderr


@pytest.mark.parametrize("kind", ["github"], indirect=True)
def test_conversation_adds_commits_to_its_branch(world: World, provider: Provider) -> None:
    provider.script([TURNS[1], TURNS[2], {"text": "Changed."}])
    first = world.program.chat(
        "--trust", "--mode", "auto", "--pr=yes", "change it", **world.environ
    )
    assert (first.code, first.last["outcome"]) == (0, "answered")
    more = {"name": "edit", "args": {**EDITS["args"], "old_string": "new", "new_string": "newer"}}
    provider.script([{"tool_calls": [more]}, {"text": "Changed again."}])
    thread = first.last["thread_id"]
    second = world.program.chat("--resume", thread, "--pr=yes", "once more", **world.environ)
    assert second.last["pull_request"] == first.last["pull_request"]
    branch = second.last["pull_request"]["branch"]
    assert world.checkout.remote("rev-list", "--count", f"{world.base}..{branch}") == "2"
    assert world.checkout.remote("show", f"{branch}:a.txt") == "newer"
    assert len(world.hosting.requests) == 1
    provider.script([{"text": "Nothing to do."}])
    third = world.program.chat("--resume", thread, "--pr=yes", "and now?", **world.environ)
    assert (third.code, third.told("pull_request")) == (0, [])


def test_merged_request_is_followed_by_another(world: World, provider: Provider) -> None:
    provider.script([TURNS[1], TURNS[2], {"text": "Changed."}])
    talk = ("--trust", "--mode", "auto", "--pr=yes")
    first = world.program.chat(*talk, "change it", **world.environ)
    branch = first.last["pull_request"]["branch"]
    world.hosting.requests[0]["state"] = "merged"
    world.checkout.remote("update-ref", "-d", f"refs/heads/{branch}")
    more = {"name": "edit", "args": {**EDITS["args"], "old_string": "new", "new_string": "newer"}}
    provider.script([{"tool_calls": [more]}, {"text": "Changed again."}])
    thread = first.last["thread_id"]
    second = world.program.chat("--resume", thread, "--pr=yes", "once more", **world.environ)
    assert second.last["pull_request"]["number"] == 2
    assert world.checkout.branches == [branch]
    assert world.checkout.remote("show", f"{branch}:a.txt") == "newer"


KILL = "mv mcode.pid killed.pid && kill -9 $(cat killed.pid) && sleep 60"
KILL_POINTS = {
    "before the commit": ("pre-commit", ""),
    "after the commit": ("post-commit", ""),
    "before the push": ("pre-push", ""),
    "after the push": ("post-receive", ""),
    "before the push is allowed": ("", "GET project"),
    "before the request": ("", "GET requests"),
    "after the request": ("", "POST requests"),
    "after all": ("", ""),
}


# git's hooks know no host
HOSTS_AND_POINTS = [
    (host, point)
    for point, (hook, call) in KILL_POINTS.items()
    for host in ("github", "gitlab")
    if call or host == "github"
]


@pytest.mark.parametrize(("kind", "point"), HOSTS_AND_POINTS, indirect=["kind"])
def test_kill_leaves_one_branch_commit_and_request(point: str, world: World) -> None:
    hook, call = KILL_POINTS[point]
    folder = world.program.project.parent
    if hook:
        script = f"cd {folder} && test -e mcode.pid && {KILL}; exit 0"
        world.checkout.hook(hook, script, bare=hook == "post-receive")
    process = world.start("--pr=yes")
    (folder / "mcode.pid").write_text(str(process.pid))
    if call:
        world.hosting.before_answer = Killer(process, call)
    for line in process.stdout or ():
        event = json.loads(line)
        if event["type"] == "run_started":
            thread = event["thread_id"]
        if event["type"] == "pull_request" and not hook and not call:
            process.kill()
    assert world.program.end(process).code == -signal.SIGKILL
    ended = world.resume(thread)
    assert (ended.code, ended.outcome) == (0, "verified")
    [branch] = world.checkout.branches
    assert world.checkout.show_commit(branch) == (world.base, ["a.txt"])
    assert ended.last["pull_request"] == {
        "url": ended.last["pull_request"]["url"],
        "branch": branch,
        "number": 1,
    }
    assert len(world.hosting.requests) == 1
    assert world.checkout.git("rev-parse", branch) == world.checkout.remote("rev-parse", branch)
    assert world.checkout.git("worktree", "list").count("\n") == 0
    assert world.checkout.git("branch", "--show-current") == "main"


class Killer:
    """Kills a process at the first call of a kind, when the host has carried it out."""

    def __init__(self, process: "subprocess.Popen[str]", call: str) -> None:
        self.process, (self.method, self.what) = process, call.split()

    def __call__(self, method: str, path: str) -> None:
        text = "requests" if path.endswith(("/pulls", "/merge_requests")) else "project"
        if (method, text) == (self.method, self.what):
            self.process.kill()
            self.process.wait()
