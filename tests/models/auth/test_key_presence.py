"""Whether a key may be there."""

from pathlib import Path

from maxagent.models.auth.credentials import Credential, store_credential
from maxagent.models.auth.key_presence import has_key


def test_a_key_in_the_environment_or_stored_is_there(tmp_path: Path) -> None:
    assert not has_key({"OPENAI_API_KEY": " ", "PATH": "/"}, tmp_path)
    assert has_key({"ZHIPU_KEY": "k"}, tmp_path)
    store_credential(tmp_path, "groq", Credential("k"))
    assert has_key({}, tmp_path)
