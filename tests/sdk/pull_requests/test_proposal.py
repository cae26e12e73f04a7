"""What changes in `.git/config` after the question leads nowhere else."""

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from git_checkout import GITHUB_URL, GitCheckout
from hosting_server import TOKEN

from maxagent import trust
from maxagent.sdk.pull_requests.proposal import Proposal, build_question, read_proposal
from maxagent.sdk.pull_requests.publication import check_publication
from maxagent.tools.git.commits import Identity
from maxagent.tools.git.object_scan import SecretsFoundError

ADA = Identity("Ada", "ada@example.com", "1700000000 +0000")
EVIL = "https://github.com/evil/demo.git"
PROPOSAL = Proposal(
    repository="github.com/octo/demo",
    remote="origin",
    branch="mcode/x",
    base_branch="",
    base="0",
    tree="0",
    title="x",
    body="x",
    message="x",
    author=ADA,
    committer=ADA,
    files=(),
    diff="",
    last_entry=0,
)
LEADING = {
    "pushurl": [("remote.origin.pushurl", EVIL)],
    "another pushurl": [("remote.origin.pushurl", GITHUB_URL), ("remote.origin.pushurl", EVIL)],
    "another url": [("remote.origin.url", EVIL)],
    "insteadOf": [("url.https://github.com/evil/.insteadOf", "https://github.com/octo/")],
    "pushInsteadOf": [("url.https://github.com/evil/.pushInsteadOf", "https://github.com/octo/")],
    "pushDefault": [("remote.evil.url", EVIL), ("remote.pushDefault", "evil")],
    "pushRemote": [("remote.evil.url", EVIL), ("branch.main.pushRemote", "evil")],
    "remote of the branch": [("remote.evil.url", EVIL), ("branch.main.remote", "evil")],
}
OTHERS = {
    "gpg": [("gpg.program", "/bin/false")],
    "hidden transport": [("remote.origin.vcs", "ext")],
    "receivepack": [("remote.origin.receivepack", "false")],
    "fetch only": [("remote.origin.fetch", "+refs/heads/*:refs/remotes/x/*")],
    "mirror": [("remote.origin.mirror", "true")],
}


@pytest.mark.parametrize("change", [*LEADING, *OTHERS])
async def test_change_of_the_address_is_noticed(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    checkout, home = GitCheckout(tmp_path / "project", tmp_path / "remote.git"), tmp_path / "home"
    checkout.git("commit", "--quiet", "--allow-empty", "-m", "one")
    checkout.git("config", "--remove-section", f"url.{checkout.bare}")
    checkout.git("config", "--unset", "remote.origin.pushurl")
    trust(checkout.folder, home)
    asked = await check_publication(checkout.folder, home)
    proposal = replace(PROPOSAL, push_addresses=asked.shown_addresses)
    assert proposal.goes_to(asked)
    for key, value in (LEADING | OTHERS)[change]:
        checkout.git("config", "--add", key, value)
    trust(checkout.folder, home)
    now = await check_publication(checkout.folder, home)
    assert proposal.goes_to(now) == (change in OTHERS)


def test_question_of_an_older_version_is_read() -> None:
    packed = PROPOSAL.to_json()
    for name in ("push_addresses", "hooks", "hooks_path", "unsearched"):
        del packed[name]
    proposal = read_proposal(packed)
    assert proposal == PROPOSAL
    assert proposal.question_id == PROPOSAL.question_id


def test_question_names_addresses_hooks_and_what_was_not_searched() -> None:
    packed = PROPOSAL.to_json()
    packed["push_addresses"] = ["https://a.example/x/y", "https://b.example/x/y"]
    packed["hooks"] = [{"subject": "git hook pre-push", "source": "h/pre-push", "digest": "1"}]
    packed["hooks_path"], packed["unsearched"] = "h", ["a.7z (archive: unknown kind)"]
    question = build_question("t", read_proposal(packed), {})
    [request] = question.action_requests
    for word in (*packed["push_addresses"], "h/pre-push", "core.hooksPath", "a.7z"):
        assert word in request["description"]
    assert {"push_addresses", "hooks", "hooks_path", "unsearched"} <= request["args"].keys()


KEY = "ghp_" + "aB3d" * 9
HIDDEN = {
    "whole": f"Use {KEY}",
    "over two lines": f"Use\n{KEY[:20]}\n{KEY[20:]}\n",
    "in base64": base64.b64encode(f"token = {KEY}\n".encode()).decode(),
    "in an address": f"see https://ada:{KEY}@example.com",
    "quoted lines": f"> {KEY[:20]}\n> {KEY[20:]}\n",
}


@pytest.mark.parametrize("published", ["title", "body", "message", "branch"])
@pytest.mark.parametrize("content", HIDDEN.values(), ids=HIDDEN)
def test_secret_in_published_text_is_refused(published: str, content: str) -> None:
    PROPOSAL.refuse_secrets()
    with pytest.raises(SecretsFoundError, match=published) as error:
        replace(PROPOSAL, **{published: content}).refuse_secrets()
    assert KEY[:20] not in str(error.value)
