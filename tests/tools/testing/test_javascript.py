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
        ("c8", PackageScript("", False, "", False)),
        (" ", None),
    ],
)
def test_script_is_a_framework_or_anything(script: str, parsed: PackageScript | None) -> None:
    assert parse_script(script) == parsed
