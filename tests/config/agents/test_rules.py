import pytest

from maxagent.config.agents.rules import parse_file_table, parse_rules


def read(value: object) -> tuple[list[str], list[str]]:
    rules, wrong = parse_rules(value, lambda *keys: "/".join(("f", *keys)))
    return [f"{rule.origin}: {rule.kind} {rule.text}" for rule in rules], wrong


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
        ({"ask": [1]}, "f/ask/0: write a rule as `TOOL` or `TOOL(PATTERN)`"),
        ({"edit": "never"}, "f/edit/*: `edit` must be deny, ask or allow"),
        ({"edit": {"*.md": "deny"}}, "f/edit/*.md: invalid pattern `*.md`; put the rule"),
        ({"bash": {"git * push": "deny"}}, "f/bash/git * push: invalid pattern"),
        ({"bash": {"git pus?": "deny"}}, "f/bash/git pus?: invalid pattern"),
    ],
)
def test_unparsable_rule_is_reported_and_not_applied(value: object, wrong: str) -> None:
    rules, message = read(value)
    assert rules == [] and len(message) == 1 and message[0].startswith(wrong)


def read_files(table: dict[str, object]) -> tuple[tuple[str, ...], list[str], list[str]]:
    files, rules, wrong = parse_file_table(table, lambda *keys: "/".join(("f", *keys)))
    return files, [f"{rule.kind} {rule.text}" for rule in rules], wrong


@pytest.mark.parametrize(
    ("table", "files", "rules"),
    [
        ({".llc/plans/*.md": "allow", "*": "read-only"}, (".llc/plans/*.md",), []),
        ({"*": "allow", "docs/**": "read-only"}, (), ["deny edit(docs/**)"]),
        (
            {"src/**": "allow", "src/keys/**": "deny", "*": "read-only"},
            ("src/**",),
            ["deny edit(src/keys/**)", "deny read_file(src/keys/**)"],
        ),
        ({"*": "allow"}, (), []),
    ],
)
def test_the_most_specific_pattern_of_files_wins(
    table: dict[str, object], files: tuple[str, ...], rules: list[str]
) -> None:
    assert read_files(table) == (files, rules, [])


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ({"a": "write"}, "f/a: `a` takes allow, read-only or deny"),
        ({"*": "deny"}, "f: `deny` for every file"),
        ({"docs/**": "deny", "docs/a.md": "allow"}, "f/docs/a.md: `docs/a.md` cannot be allowed"),
    ],
)
def test_a_wrong_table_of_files_is_reported(table: dict[str, object], wrong: str) -> None:
    reports = read_files(table)[2]
    assert len(reports) == 1 and reports[0].startswith(wrong)
