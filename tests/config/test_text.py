import copy
import json
import pickle
from dataclasses import asdict, dataclass

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.security.redaction import redact
from maxagent.config.text import TemplatedText, join_texts, text
from maxagent.memory.checkpoints.serializer import StrictSerializer

TEMPLATE = "no thread `{thread}`"
MESSAGE = text(TEMPLATE, thread="x{y}")


@dataclass
class Holder:
    message: str


def test_a_text_is_its_sentence_with_template_and_values() -> None:
    assert MESSAGE == "no thread `x{y}`" and isinstance(MESSAGE, TemplatedText)
    assert (MESSAGE.template, MESSAGE.values) == (TEMPLATE, {"thread": "x{y}"})


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy(MESSAGE),
        copy.deepcopy(MESSAGE),
        pickle.loads(pickle.dumps(MESSAGE)),
        asdict(Holder(MESSAGE))["message"],
        str(MESSAGE),
        str(ValueError(MESSAGE)),
        str(UsageError(MESSAGE)),
        redact(MESSAGE),
    ],
)
def test_a_copy_keeps_template_and_values(copied: str) -> None:
    assert isinstance(copied, TemplatedText) and copied == MESSAGE
    assert (copied.template, copied.values) == (TEMPLATE, {"thread": "x{y}"})


def test_json_and_checkpoints_keep_the_sentence() -> None:
    serializer = StrictSerializer()
    stored = serializer.loads_typed(serializer.dumps_typed({"reason": MESSAGE}))
    assert json.loads(json.dumps(MESSAGE)) == stored["reason"] == MESSAGE
    assert type(stored["reason"]) is str


def test_any_value_becomes_text() -> None:
    message = text("{count} of {what}", count=3, what=MESSAGE)
    assert isinstance(message, TemplatedText)
    assert message == "3 of no thread `x{y}`" and message.values["what"] is MESSAGE


@pytest.mark.parametrize("parts, joined", [([], ""), (["a"], "a"), (["a", "b", "c"], "a; b; c")])
def test_joined_texts_read_like_joined_strings(parts: list[str], joined: str) -> None:
    assert join_texts("; ", parts) == joined


def test_a_secret_in_a_value_is_redacted() -> None:
    secret = "AKIA" + "A1" * 8
    redacted = redact(text("{why}: {rest}", why=MESSAGE, rest=secret))
    assert isinstance(redacted, TemplatedText)
    assert redacted == "no thread `x{y}`: [secret: AWS key]"


def test_a_secret_across_values_is_redacted() -> None:
    redacted = redact(text("Bearer {first}{rest}", first="a1" * 6, rest="b2" * 6))
    assert redacted == "Bearer [secret: token]"
