import pytest

from maxagent.tools.testing.case_count import count_test_cases


@pytest.mark.parametrize(
    ("path", "content", "count"),
    [
        ("test_cart.py", "def test_total():\n    pass\n\n\nasync def test_tax():\n    pass\n", 2),
        ("test_cart.py", "class CartTest(TestCase):\n    def test_total(self):\n        pass\n", 1),
        ("test_cart.py", "def total():\n    return 'def test'\n# def test_total():\n", 0),
        ("cart.test.ts", "test('adds', () => {})\n  it.each([1])('is %d', () => {})\n", 2),
        ("cart.test.js", "// test('adds', () => {})\n * it('is', () => {})\nlatest(1)\n", 0),
        ("cart.test.js", "regex.test('a')\n", 0),
        (
            "cart_test.go",
            "func TestTotal(t *testing.T) {\n}\nfunc FuzzTotal(f *testing.F) {\n",
            2,
        ),
        ("cart_test.go", "func newCart() Cart {\n", 0),
        ("tests/cart.rs", "#[test]\nfn adds() {}\n\n#[tokio::test]\nasync fn waits() {}\n", 2),
        ("tests/cart.rs", "fn adds() {}\n", 0),
        ("tests/prices.csv", "test,1\n", None),
    ],
)
def test_cases_are_counted_by_language(path: str, content: str, count: int | None) -> None:
    assert count_test_cases(path, content) == count
