"""Names that some file system takes for the same have a spelling in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.security.path_variants import fold_name, list_variants, to_canonical_path


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".ENV",
        ".Env",
        ".env.",
        ".env...",
        ".env ",
        ".env . ",
        " .env",
        ".env\n",
        ".env\u00a0",
        ".env\u3000",
        ".env::$DATA",
        ".env:stream",
        "\uff0eenv",
        ".\uff45\uff4e\uff56",
        ".e\u200bnv",
        ".e\u200dnv",
        "\ufeff.env",
        ".\u202eenv",
        ".en\u24e5",
    ],
)
def test_odd_spellings_of_a_name_are_that_name(name: str) -> None:
    assert ".env" in list_variants(name)
    assert "a/.env/b" in list_variants(f"A/{name}/b")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("src\\.env", "src/.env"),
        ("caf\u00e9", "cafe\u0301"),
        ("STRASSE", "stra\u00dfe"),
        ("a\nb", "a b"),
        ("\u212aey", "key"),
    ],
)
def test_two_names_meet_in_one_spelling(name: str, other: str) -> None:
    assert set(list_variants(name)) & set(list_variants(other))


@pytest.mark.parametrize(
    "name", ["a.py", "A/b c/d.txt", "..hidden", "-rf", "a..b", "a  b", ".a/.b", "文件.txt", "a/"]
)
def test_an_ordinary_name_has_one_spelling(name: str) -> None:
    assert list_variants(name) == (fold_name(name),)


@pytest.mark.parametrize("name", [".env.example", "environment", "env", "_env", "x.env", ".e nv"])
def test_look_alikes_stay_other_names(name: str) -> None:
    assert ".env" not in list_variants(name)


@given(st.text())
def test_any_text_has_spellings_that_never_change_again(name: str) -> None:
    assert to_canonical_path(to_canonical_path(name)) == to_canonical_path(name)
    assert fold_name(fold_name(name)) == fold_name(name)
