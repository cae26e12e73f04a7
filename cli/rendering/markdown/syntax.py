"""Code in the colours of its language."""

from rich.text import Text

from ..theme import get_theme


def highlight_code(code: str, language: str = "", *, path: str = "") -> list[Text]:
    """Return the lines of safe code; the language's name, or the file's, chooses the colours."""
    from rich.syntax import Syntax

    lexer = language or (Syntax.guess_lexer(path) if path else "") or "text"
    highlighted = Syntax("", lexer, theme=get_theme().code).highlight(code)
    result_text = highlighted if highlighted.plain.startswith(code) else Text(code)
    return list(result_text.split("\n", allow_blank=True))
