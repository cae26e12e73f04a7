import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from maxagent.config.settings.keys import list_keys
from maxagent.config.settings.schema import ModelLimits, Settings
from maxagent.config.yaml.reader import parse_document

PAGE = (Path(__file__).parent.parent.parent.parent / "docs/configuration.md").read_text(
    encoding="utf-8"
)


def test_the_page_describes_exactly_the_keys_that_exist() -> None:
    limits = [f"model.models.NAME.{name}" for name in ModelLimits.model_fields]
    described = re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE)
    assert sorted(described) == sorted(list_keys() + limits)


def test_the_pages_example_is_valid() -> None:
    for example in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL):
        assert Settings.model_validate(parse_document(Path("page"), example).values, strict=True)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Settings().language = "zh"
