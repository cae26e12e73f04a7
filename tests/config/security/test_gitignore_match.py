import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.security.gitignore_match import filter_matches, matches_any, validate_patterns
from maxagent.config.security.ignore_patterns import IGNORE_PATTERNS


@pytest.mark.parametrize(
    ("name", "matched"),
    [
        (".env", True),
        ("sub/.ENV", True),
        (".env.example", False),
        ("secrets/anything.md", True),
        ("docs/secrets.md", False),
        (".env\u200b", True),
        ("id_rsa/AGENTS.md", True),
        ("AGENTS.md", False),
    ],
)
def test_gitignore_matches_any_spelling_and_below_matched_folder(name, matched):
    assert matches_any(IGNORE_PATTERNS, name) is matched


def test_a_wrong_pattern_is_reported():
    with pytest.raises(ValueError, match="classes"):
        validate_patterns(("[[:alpha:]]",))


NAMES = st.text("abE.~ \u0130*", min_size=1, max_size=6).filter(
    lambda item: item not in (".", "..")
)
PATTERNS = st.sampled_from([".env", "*.b", "a/", "**/a/**", "/b", "!a.b", "a/*.E", "b~", "*"])


@given(st.lists(PATTERNS, max_size=5), st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=6))
def test_names_of_a_folder_match_as_one(
    patterns: list[str], folders: list[str], names: list[str]
) -> None:
    given_patterns, folder = tuple(patterns), "/".join(folders) or "."
    prefix = "" if folder == "." else f"{folder}/"
    result = filter_matches(given_patterns, folder, names)
    assert result == {name for name in names if matches_any(given_patterns, prefix + name)}
