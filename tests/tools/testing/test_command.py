import pytest

from maxagent.tools.testing.command import Framework, TestCommand, only_tests, select_commands


def command(framework: Framework, folder: str = "") -> TestCommand:
    return TestCommand((), folder or framework, framework, folder=folder)


PYTEST, JEST, GO, MAKE = [command(name) for name in ("pytest", "jest", "go", "make")]
WEB, ADMIN = command("vitest", "apps/web"), command("mocha", "apps/admin")
OWN = command("configured")


@pytest.mark.parametrize(
    ("commands", "changed", "expected"),
    [
        ([PYTEST, JEST], ["cart.py"], [PYTEST]),
        ([PYTEST, JEST], ["cart.py", "web/cart.ts"], [PYTEST, JEST]),
        ([PYTEST, JEST], ["package.json"], [JEST]),
        ([PYTEST, JEST], ["prices.csv"], [PYTEST, JEST]),
        ([PYTEST, JEST], ["cart.py", "prices.csv"], [PYTEST, JEST]),
        ([PYTEST, JEST], ["cart.go"], [PYTEST, JEST]),
        ([PYTEST, JEST], [], [PYTEST, JEST]),
        ([WEB, ADMIN, GO], ["apps/web/cart.ts"], [WEB]),
        ([WEB, ADMIN, GO], ["apps/web/cart.ts", "cart.go"], [WEB, GO]),
        ([WEB, ADMIN], ["shared/cart.ts"], [WEB, ADMIN]),
        ([WEB, ADMIN], ["apps/website/cart.ts"], [WEB, ADMIN]),
        ([PYTEST, MAKE], ["prices.csv"], [PYTEST]),
        ([MAKE], ["cart.c"], [MAKE]),
        ([OWN, PYTEST, JEST], ["cart.js"], [OWN]),
        ([], ["cart.js"], []),
    ],
)
def test_commands_are_those_that_the_change_touches(
    commands: list[TestCommand], changed: list[str], expected: list[TestCommand]
) -> None:
    assert select_commands(commands, changed) == expected


@pytest.mark.parametrize(
    ("command", "only"),
    [
        ("pytest -q", True),
        ("PYTHONPATH=src python3 -m pytest -q tests | tail -5", True),
        ("cd sub && .venv/bin/python -m unittest discover", True),
        ("npm test", True),
        ("go test ./... 2>&1 | grep FAIL", True),
        ("timeout 60 cargo test", True),
        ("make test", True),
        ("pytest && git push", False),
        ("python3 build.py", False),
        ("make deploy", False),
        ("rm -rf x; pytest", False),
        ("pytest_clean.sh", False),
        ("cd sub", False),
        ("", False),
    ],
)
def test_lines_that_only_test_are_known(command: str, only: bool) -> None:
    assert only_tests(command) == only
