"""JUnit XML names a test as its framework does."""

from pathlib import Path

import pytest

from maxagent.tools.testing.reports.junit import read_junit


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        (("tests.test_a", "test_b", "tests/test_a.py"), "tests/test_a.py::test_b"),
        (("tests.test_a.TestX.TestY", "test_b", "tests/test_a.py"),
         "tests/test_a.py::TestX::TestY::test_b"),
        (("test_a", "test_b[x.y::z]", "test_a.py"), "test_a.py::test_b[x.y::z]"),
        (("ci.test_a.TestX", "test_b", "test_a.py"), "test_a.py::TestX::test_b"),
        (("tests.test_a.TestX", "test_b", "contract.py"), "tests/test_a.py::TestX::test_b"),
        (("gone.test_a.TestX", "test_b", "contract.py"), "gone.test_a.TestX::test_b"),
        (("docs.a.txt", "a.txt", "docs/a.txt"), "docs/a.txt::a.txt"),
        (("", "tests.test_a", "tests/test_a.py"), "tests/test_a.py"),
        (("cart.test.js", "cart > adds", "cart.test.js"), "cart.test.js::cart > adds"),
        (("cart.test.js", "cart > adds", ""), "cart.test.js::cart > adds"),
    ],
    ids=["function", "class", "parameters", "prefix", "inherited", "file is gone", "doctest",
         "file", "vitest", "no file"],
)  # fmt: skip
def test_name_is_the_one_of_the_framework(
    attributes: tuple[str, str, str], name: str, tmp_path: Path
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").touch()
    group, title, file = attributes
    case = f"<testcase classname='{group}' name='{title}' file='{file}'><failure/></testcase>"
    report = read_junit(f"<testsuite>{case}</testsuite>".encode(), tmp_path)
    assert report
    assert report.failing == (name,)
