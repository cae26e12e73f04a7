"""Of the profile's text alone: no Mac has run it."""

from pathlib import Path

from maxagent.tools.sandbox.profile import SandboxProfile
from maxagent.tools.sandbox.seatbelt import build_arguments, render_profile

WALL = SandboxProfile(
    writable=(Path("/w/project"),),
    pinned=(Path("/w/project/.git"),),
    frozen=(Path("/w/project/.git/hooks"),),
    reserved=(Path("/w/project/.mcp.json"),),
    hidden_folders=(Path("/Users/me/.ssh"),),
    hidden_files=(Path('/w/project/a"b\\c.key'),),
    blank_files=(Path("/Users/me/.npmrc"),),
    private=(Path("/private/var/folders/x"),),
)


def test_profile_has_all_rules_with_strictest_last() -> None:
    assert render_profile(WALL).splitlines() == [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        '(allow file-write* (subpath "/w/project") (subpath "/private/var/folders/x"))',
        '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") '
        '(literal "/dev/urandom") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
        '(deny file-write* (subpath "/w/project/.git/hooks") (subpath "/w/project/.mcp.json"))',
        '(deny file-write-unlink (literal "/w/project/.git"))',
        '(deny file-read* file-write* (subpath "/Users/me/.ssh") '
        '(literal "/w/project/a\\"b\\\\c.key") (literal "/Users/me/.npmrc"))',
        "(deny network*)",
        "(deny signal)",
        "(allow signal (target same-sandbox))",
    ]


def test_what_is_not_wished_leaves_no_empty_rule() -> None:
    bare = render_profile(SandboxProfile(writable=(Path("/w"),), network=True))
    assert "(deny network*)" not in bare
    assert not any(line.endswith(" )") or line.endswith("*)") for line in bare.splitlines()[3:])


def test_the_command_follows_the_profile() -> None:
    program, flag, text, *command = build_arguments(WALL, ["make", "test"])
    assert (program, flag, command) == ("/usr/bin/sandbox-exec", "-p", ["make", "test"])
    assert text == render_profile(WALL)
