"""`mcode test generate` without a model: what it refuses; its runs are in `tests/e2e`."""

import pytest
from test_place import TestPlace


@pytest.fixture
def cart_place(place: TestPlace) -> TestPlace:
    place.write({"cart.py": "", "test_cart.py": "def test_cart():\n    pass\n", "src/tax.py": ""})
    assert place.run("trust", "--yes").returncode == 0
    return place


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("generate", "missing.py"), "there is no file `missing.py`"),
        (("--generate", "test_cart.py"), "`test_cart.py` belongs to the tests itself"),
        (("generate", "src"), "`src` is a folder"),
        (("generate", "../cart.py"), "outside the project"),
    ],
)
def test_other_files_are_wrong_input(
    cart_place: TestPlace, arguments: tuple[str, ...], reason: str
) -> None:
    ended = cart_place.run("test", *arguments, "--model", "scripted/none.json")
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    assert reason in ended.stderr and "hint: " in ended.stderr
