"""Which providers are offered for a key or a login."""

import pytest

from maxagent.cli.prompts.credential_input import list_offers
from maxagent.models.auth.key_shapes import list_candidates
from maxagent.models.providers import get_provider


def test_servers_and_the_environment_come_first() -> None:
    offers = list_offers({"GROQ_API_KEY": "k"}, [get_provider("ollama")])
    names = [each.name for each in offers]
    assert names[:3] == ["ollama", "groq", "openai"] and names[-1] == "copilot"
    assert len(names) == len(set(names)) and "lmstudio" not in names and "scripted" not in names


@pytest.mark.parametrize("key", ["sk-0123456789", "0123456789"])
def test_one_digit_chooses_among_candidates(key: str) -> None:
    names = list_candidates(key)
    assert 1 < len(names) <= 9 and all(get_provider(name).key_variables for name in names)
