from pathlib import Path

import pytest
from rule_texts import project

from maxagent.config.settings.permission_rules import RawRule
from maxagent.tools.permissions.rule import read_rule
from maxagent.tools.permissions.rule_examples import check_examples


def check(folder: Path, kind: str, text: str, match: list[str], not_match: list[str]) -> None:
    written = RawRule(kind, text, "test", tuple(match), tuple(not_match))
    check_examples(read_rule(written), written, project(folder))


@pytest.mark.parametrize(
    ("kind", "text", "match", "not_match"),
    [
        ("allow", "run_command(git diff:*)", ["git diff --stat"], ["git diff > x", "git push"]),
        ("allow", "run_command(make:*)", ["make && make test"], ["make && npm test"]),
        ("deny", "run_command(git push:*)", ["x && git push", "$(git push)"], ["git pull"]),
        ("deny", "edit(src/**)", ["src/a.py"], ["docs/a.md"]),
        ("allow", "webfetch(domain:*.x.org)", ["www.x.org", "https://a.x.org/b"], ["x.org"]),
        ("ask", "mcp_files_*", ["mcp_files_read"], ["mcp_git_log"]),
    ],
)
def test_right_examples_pass(
    kind: str, text: str, match: list[str], not_match: list[str], tmp_path: Path
) -> None:
    check(tmp_path, kind, text, match, not_match)


@pytest.mark.parametrize(
    ("kind", "text", "match", "not_match", "words"),
    [
        (
            "allow",
            "run_command(git diff:*)",
            ["git log"],
            [],
            "not match its example `git log` und",
        ),
        ("allow", "run_command(make:*)", ["make > out"], [], "`make > out` under `match`"),
        (
            "deny",
            "run_command(rm:*)",
            [],
            ["a; rm b"],
            "matches its example `a; rm b` under `not_m",
        ),
        ("deny", "edit(src/**)", ["source/a.py"], [], "`source/a.py` under `match`"),
        ("allow", "webfetch(domain:x.org)", ["y.org"], [], "`y.org`"),
    ],
)
def test_a_wrong_example_is_named(
    kind: str, text: str, match: list[str], not_match: list[str], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=words):
        check(tmp_path, kind, text, match, not_match)
