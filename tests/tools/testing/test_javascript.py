import pytest

from maxagent.tools.testing.javascript import PackageScript, parse_script


@pytest.mark.parametrize(
    ("script", "parsed"),
    [
        ("vitest", PackageScript("vitest", True, "", False)),
        ("vitest run", PackageScript("vitest", True, "", False)),
        ("vitest --watch", PackageScript("vitest", False, "", True)),
        ("mocha -w", PackageScript("mocha", False, "", True)),
        ("jest --watchAll=false", PackageScript("jest", False, "", False)),
        ("jest --watchAll=true", PackageScript("jest", False, "", True)),
        ("npx cross-env A=1 mocha", PackageScript("mocha", False, "", False)),
        ("nyc --reporter=text mocha", PackageScript("mocha", False, "nyc", False)),
        ("npx c8 mocha -r x", PackageScript("mocha", False, "c8", False)),
        ("c8 --reporter lcov mocha", PackageScript("", False, "", False)),
        ("npm test -w packages/a", PackageScript("", False, "", False)),
        ("tsc && vitest --watch", PackageScript("", False, "", True)),
        ("vitest watch", PackageScript("", False, "", True)),
        ("npx vitest dev --silent", PackageScript("", False, "", True)),
        ("c8", PackageScript("", False, "", False)),
        (" ", None),
    ],
)
def test_script_is_a_framework_or_anything(script: str, parsed: PackageScript | None) -> None:
    assert parse_script(script) == parsed


@pytest.mark.parametrize(
    ("script", "waits"),
    [
        ("jest --watch", True),
        ("jest --watch false", False),
        ("jest --watch=false --ci", False),
        ("jest --no-watch", False),
        ("jest --no-watchAll --ci", False),
        ("jest --watch --no-watch", False),
        ("jest --no-watch --watch", True),
        ("jest --watch false --watchAll", True),
        ("jest -w 4", False),
        ("jest -w=4", False),
        ("jest --watchman=false", False),
        ("jest --watch tests", True),
        ("react-scripts test --watchAll false", False),
        ("react-scripts test --watchAll", True),
        ("ng test --watch false --browsers ChromeHeadless", False),
        ("ng test --no-watch", False),
        ("ng test --watch  true", True),
        ("mocha -w false", False),
        ("mocha -w", True),
        ("mocha --watch-files src", False),
        ("vitest -w", True),
        ("vitest --watch false", False),
        ("vitest -w  false run", False),
    ],
)
def test_last_watch_option_decides(script: str, waits: bool) -> None:
    parsed = parse_script(script)
    assert parsed and parsed.waits == waits
