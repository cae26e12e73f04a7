import pytest

from maxagent.config.security.gitignore_match import any_matches, check
from maxagent.config.settings.schema import IGNORE_PATTERNS


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
def test_a_name_is_matched_however_it_is_spelled_and_below_a_matched_folder(name, matched):
    assert any_matches(IGNORE_PATTERNS, name) is matched


def test_a_wrong_pattern_is_told():
    with pytest.raises(ValueError, match="classes"):
        check(("[[:alpha:]]",))
