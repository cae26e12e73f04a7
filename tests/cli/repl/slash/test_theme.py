import pytest
from repl_session import Spoken

from maxagent.cli.rendering.theme import LIGHT, get_theme, use_theme
from maxagent.config.errors import UsageError


async def test_theme_holds_at_once_and_is_kept(spoken: Spoken) -> None:
    try:
        output = await spoken("/theme light")
        assert "Set `ui.theme` in" in output and "return round" in output
        assert get_theme() is LIGHT
        assert "theme: light" in (spoken.home / "config.yaml").read_text()
        assert "Theme: light; there are `auto`, `ansi`, `dark`, `light`." in await spoken("/theme")
        with pytest.raises(UsageError, match="unknown theme `pink`"):
            await spoken("/theme pink")
    finally:
        use_theme("auto")
