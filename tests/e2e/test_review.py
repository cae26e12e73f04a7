"""`mcode review` of a working tree, a range and a pull request."""

import json
from typing import Any

import pytest
from git_checkout import GITHUB_URL, GITLAB_URL, GitCheckout
from hosting_server import TOKEN, HostingServer
from program import Ended, Program
from provider import Provider


def find(file: str, line: int, severity: str = "high") -> dict[str, Any]:
    return {"file": file, "line": line, "severity": severity, "text": f"{file} is wrong."}


def answer(*findings: dict[str, Any]) -> dict[str, Any]:
    return {"text": json.dumps({"findings": findings})}


@pytest.fixture
def checkout(program: Program) -> GitCheckout:
    """One commit on the remote, one more on a branch, and changes that are not committed."""
    checkout = GitCheckout(program.project, program.project.parent / "remote.git")
    checkout.write("a.txt", "one\n")
    checkout.commit()
    checkout.git("checkout", "--quiet", "-b", "topic")
    checkout.write("a.txt", "one\ntwo\n")
    checkout.git("commit", "--quiet", "-am", "two")
    checkout.write("b.txt", "new\n")
    return checkout


def review(program: Program, *options: str, output: str = "json", **environ: str) -> Ended:
    model = ("--model", "openai/served", "--base-url", program._url, "--trust")
    return program.run("review", *options, *model, "--output", output, **environ)


def test_findings_have_file_line_and_severity(
    program: Program, provider: Provider, checkout: GitCheckout
) -> None:
    provider.script([answer(find("b.txt", 1, "low"), find("a.txt", 2), find("c.txt", 1))])
    ended = review(program)
    report = json.loads(ended.stdout)
    assert ended.code == 1
    assert [(item["file"], item["line"], item["severity"]) for item in report["findings"]] == [
        ("a.txt", 2, "high"),
        ("b.txt", 1, "low"),
    ]
    assert (report["dropped"], report["head"]) == (1, "")
    asked = provider.requests[0].body["messages"][-1]["content"]
    assert "+two" in asked
    assert "+new" in asked
    tools = {item["function"]["name"] for item in provider.requests[0].body["tools"]}
    assert tools.isdisjoint({"edit", "write_file", "run_command"})


def test_review_without_findings_ends_with_zero(
    program: Program, provider: Provider, checkout: GitCheckout
) -> None:
    provider.script([answer()])
    ended = review(program, "main..HEAD", output="text")
    assert (ended.code, ended.stdout) == (0, "")
    assert "No findings in main..HEAD" in ended.stderr
    assert "+new" not in provider.requests[0].body["messages"][-1]["content"]


def test_line_beyond_the_diff_is_marked(
    program: Program, provider: Provider, checkout: GitCheckout
) -> None:
    provider.script([answer(find("a.txt", 77))])
    ended = review(program, "main..HEAD", output="text")
    assert ended.code == 1
    assert "a.txt:77: high (the diff does not show this line)" in ended.stdout


@pytest.mark.parametrize(
    "turns", [[{"text": "It is fine."}] * 3, [{"status": 401, "body": "wrong key"}]]
)
def test_review_without_a_result_has_its_own_code(
    turns: list[dict[str, Any]], program: Program, provider: Provider, checkout: GitCheckout
) -> None:
    provider.script(turns)
    ended = review(program, "main..HEAD", output="stream-json")
    assert (ended.code, "findings" in ended.stdout) == (3, False)
    assert json.loads(ended.stdout.splitlines()[-1]).get("exit_code", 3) == 3


def test_nothing_changed_asks_no_model(
    program: Program, provider: Provider, checkout: GitCheckout
) -> None:
    ended = review(program, "HEAD..HEAD")
    assert (ended.code, json.loads(ended.stdout)["findings"]) == (0, [])
    assert provider.requests == []


@pytest.mark.parametrize("target", ["main", "nowhere..HEAD", "--x..HEAD", "a b..c"])
def test_wrong_target_is_wrong_input(target: str, program: Program, checkout: GitCheckout) -> None:
    ended = review(program, "--", target) if target.startswith("-") else review(program, target)
    assert ended.code == 2


@pytest.mark.parametrize("kind", ["github", "gitlab"])
@pytest.mark.parametrize("target", ["3", "URL"])
def test_pull_request_is_fetched_beside_the_branches(
    kind: str, target: str, program: Program, provider: Provider, checkout: GitCheckout
) -> None:
    url = GITHUB_URL if kind == "github" else GITLAB_URL
    checkout.git("remote", "set-url", "origin", url)
    checkout.git("config", f"url.{checkout.bare}.insteadOf", url)
    source = "refs/pull/3/head" if kind == "github" else "refs/merge-requests/3/head"
    checkout.git("push", "--quiet", "origin", f"topic:{source}")
    before = checkout.git("for-each-ref", "refs/heads", "refs/remotes")
    page = {"github": "https://github.com/octo/demo/pull/3",
            "gitlab": "https://gitlab.com/octo/demo/-/merge_requests/3"}[kind]  # fmt: skip
    row = {"number": 3, "iid": 3, "html_url": page, "web_url": page, "title": "Two"}
    row |= {"base": {"ref": "main"}, "target_branch": "main"}
    provider.script([answer(find("a.txt", 2))])
    with HostingServer() as hosting:
        hosting.requests.append(row)
        environ = {f"{kind.upper()}_API_URL": hosting.url, f"{kind.upper()}_TOKEN": TOKEN}
        ended = review(program, page if target == "URL" else target, **environ)
    report = json.loads(ended.stdout)
    assert (ended.code, report["reviewed"]) == (1, "#3")
    assert report["head"] == checkout.git("rev-parse", "topic")
    assert report["findings"][0]["in_diff"]
    assert checkout.git("for-each-ref", "refs/heads", "refs/remotes") == before
    assert checkout.git("status", "--porcelain") == "?? b.txt"


def test_unknown_request_is_wrong_input(program: Program, checkout: GitCheckout) -> None:
    with HostingServer() as hosting:
        ended = review(program, "99", GITHUB_API_URL=hosting.url, GITHUB_TOKEN=TOKEN)
    assert ended.code == 2
    assert "no pull request 99" in ended.stderr


def test_branch_in_any_language_is_reviewed(
    program: Program, provider: Provider, checkout: GitCheckout
) -> None:
    checkout.git("branch", "修复#1")
    provider.script([answer()])
    assert review(program, "main..修复#1").code == 0
    assert "+two" in provider.requests[0].body["messages"][-1]["content"]


def test_request_of_another_repository_is_refused(program: Program, checkout: GitCheckout) -> None:
    ended = review(program, "https://github.com/octo/other/pull/3")
    assert ended.code == 2
    assert "does not belong to `origin`" in ended.stderr
