import pytest

from maxagent.config.agents.rules import rules_in


def read(value: object) -> tuple[list[str], list[str]]:
    rules, wrong = rules_in(value, lambda *keys: "/".join(("f", *keys)))
    return [f"{one.origin}: {one.kind} {one.text}" for one in rules], wrong


def test_lists_and_tables_are_rules_with_their_places() -> None:
    commands = {"git push*": "deny", "npm test": "allow"}
    table = {"bash": commands, "webfetch": "ask", "doom_loop": "ask"}
    assert read({"deny": ["edit", "run_command(rm:*)"], **table}) == (
        [
            "f/deny/0: deny edit",
            "f/deny/1: deny run_command(rm:*)",
            "f/bash/git push*: deny run_command(git push:*)",
            "f/bash/npm test: allow run_command(npm test)",
            "f/webfetch/*: ask webfetch",
        ],
        [],
    )


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ("deny", "f: `permissions` must be a mapping of deny, ask and allow"),
        ({"deny": "edit"}, "f/deny: `deny` must be a list of rules"),
        ({"ask": [1]}, "f/ask/0: a rule is written `TOOL` or `TOOL(PATTERN)`"),
        ({"edit": "never"}, "f/edit/*: `edit` must be deny, ask or allow"),
        ({"edit": {"*.md": "deny"}}, "f/edit/*.md: the pattern `*.md` is not understood; write"),
        ({"bash": {"git * push": "deny"}}, "f/bash/git * push: the pattern"),
        ({"bash": {"git pus?": "deny"}}, "f/bash/git pus?: the pattern"),
    ],
)
def test_what_is_not_understood_is_no_rule_and_is_told(value: object, wrong: str) -> None:
    rules, told = read(value)
    assert rules == [] and len(told) == 1 and told[0].startswith(wrong)
