from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.tools.hosting.login import find_login
from maxagent.tools.hosting.remote_url import RepositoryAddress

TOKEN = "gho_" + "k3Ep" * 9


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A PATH with a `gh` and a `glab` that are logged in to one host each."""
    location = tmp_path / "bin"
    location.mkdir()
    for name, host in (("gh", "git.example"), ("glab", "lab.example")):
        script = f'#!/bin/sh\nfor last; do :; done\n[ "$last" = {host} ] && echo {TOKEN}\n'
        (location / name).write_text(script)
        (location / name).chmod(0o755)
    return {"PATH": f"{location}:/usr/bin:/bin"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def locate(host: str) -> RepositoryAddress:
    return RepositoryAddress(host, "octo", "demo")


async def test_token_of_the_environment_wins(environ: dict[str, str], project: Path) -> None:
    own = {**environ, "GITHUB_TOKEN": TOKEN[::-1]}
    login = await find_login(locate("github.com"), project, own)
    assert login.token == TOKEN[::-1]
    assert TOKEN[::-1] not in repr(login)


@pytest.mark.parametrize(("host", "kind"), [("git.example", "github"), ("lab.example", "gitlab")])
async def test_program_knows_hosts_of_its_own(
    host: str, kind: str, environ: dict[str, str], project: Path
) -> None:
    login = await find_login(locate(host), project, environ)
    assert (login.host.kind, login.token) == (kind, TOKEN)


@pytest.mark.parametrize("host", ["github.com.evil.example", "gitlab.evil.example", "evil.example"])
async def test_token_is_not_for_unnamed_hosts(
    host: str, environ: dict[str, str], project: Path
) -> None:
    tokens = {"GITHUB_TOKEN": TOKEN, "GH_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN}
    with pytest.raises(UsageError) as refused:
        await find_login(locate(host), project, {**environ, **tokens})
    assert refused.value.hint


async def test_program_in_the_project_is_not_asked(environ: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        await find_login(locate("git.example"), tmp_path / "bin", environ)


@pytest.mark.parametrize(
    "host", ["octo.ghe.com", "evil.ghe.com", "evil.example", "gitlab.evil.example", "a.github.b"]
)
async def test_programs_are_not_given_tokens_of_the_environment(
    host: str, environ: dict[str, str], tmp_path: Path, project: Path
) -> None:
    for name in ("gh", "glab"):  # `gh auth token` prints `GH_TOKEN` for any `NAME.ghe.com`
        (tmp_path / "bin" / name).write_text("#!/bin/sh\necho $GH_TOKEN$GITLAB_TOKEN\n")
    tokens = {"GITHUB_TOKEN": TOKEN, "GH_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN}
    with pytest.raises(UsageError):
        await find_login(locate(host), project, {**environ, **tokens, "GH_HOST": "own.ghe.com"})
