import pytest

from maxagent.tools.testing.file_names import belongs_to_tests, find_language, is_test_file


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("test_cart.py", True),
        ("cart_test.py", True),
        ("tests/conftest.py", True),
        ("shop/tests/prices.py", True),
        ("cart.py", False),
        ("tests/prices.csv", False),
        ("cart.test.js", True),
        ("src/cart.spec.tsx", True),
        ("src/__tests__/cart.ts", True),
        ("test/cart.mjs", True),
        ("test.js", True),
        ("src/contest.js", False),
        ("src/latest.ts", False),
        ("cart_test.go", True),
        ("test/cart.go", False),
        ("tests/shop.rs", True),
        ("src/tests.rs", True),
        ("src/lib.rs", False),
        ("tests", False),
    ],
)
def test_test_files_are_known_by_their_names(path: str, is_test: bool) -> None:
    assert is_test_file(path) == is_test


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/cart.py", "Python"),
        ("a/package.json", "JavaScript"),
        ("a/cart.vue", "JavaScript"),
        ("go.sum", "Go"),
        ("Cargo.lock", "Rust"),
        ("prices.json", ""),
        ("Makefile", ""),
    ],
)
def test_language_is_known_by_the_name(path: str, language: str) -> None:
    assert find_language(path) == language


@pytest.mark.parametrize(
    ("path", "belongs"),
    [
        ("test_cart.py", True),
        ("tests/prices.csv", True),
        ("src/__snapshots__/cart.test.js.snap", True),
        ("cart/testdata/empty.json", True),
        ("spec/prices.csv", False),
        ("conftest.py", False),
        ("cart.py", False),
        ("tests", False),
    ],
)
def test_files_beside_tests_belong_to_them(path: str, belongs: bool) -> None:
    assert belongs_to_tests(path) == belongs
