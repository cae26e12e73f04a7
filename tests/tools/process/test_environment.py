import pytest

from maxagent.tools.process.environment import build_child_environment


@pytest.mark.parametrize(
    "name", ["HOME", "LC_ALL", "XDG_CACHE_HOME", "VIRTUAL_ENV", "CI", "https_proxy"]
)
def test_ordinary_variables_are_handed_on(name: str) -> None:
    assert build_child_environment({name: "value"})[name] == "value"


@pytest.mark.parametrize(("own", "folder"), [({}, "/tmp"), ({"TMPDIR": "/var/x"}, "/var/x")])
def test_temporary_folder_has_always_a_name(own: dict[str, str], folder: str) -> None:
    assert build_child_environment(own)["TMPDIR"] == folder


SECRETS = ["OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "XDG_TOKEN"]
CHANGERS = ["LD_PRELOAD", "BASH_ENV", "ENV", "GIT_DIR", "GIT_SSH_COMMAND", "PYTHONPATH", "IFS"]


@pytest.mark.parametrize("name", [*SECRETS, *CHANGERS, "MAXAGENT_HOME", "PATH_EXTRA"])
def test_secrets_and_what_changes_programs_stay_here(name: str) -> None:
    assert name not in build_child_environment({name: "value"})


def test_an_address_with_a_password_stays_here() -> None:
    own = {"HTTPS_PROXY": "http://me:word@proxy.example:8080", "HTTP_PROXY": "http://proxy.example"}
    assert {"HTTP_PROXY"} == build_child_environment(own).keys() - {"PATH", "TMPDIR"}


def test_additions_are_not_filtered_and_win() -> None:
    assert build_child_environment({"TERM": "xterm"}, {"TERM": "dumb", "GIT_PAGER": "cat"}) == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TMPDIR": "/tmp",
        "TERM": "dumb",
        "GIT_PAGER": "cat",
    }


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("/a:/b", "/a:/b"),
        (".:/a::bin:../b:/c", "/a:/c"),
        ("", "/usr/local/bin:/usr/bin:/bin"),
        (".", "/usr/local/bin:/usr/bin:/bin"),
    ],
)
def test_programs_are_not_searched_in_working_folder(given: str, kept: str) -> None:
    assert build_child_environment({"PATH": given})["PATH"] == kept
