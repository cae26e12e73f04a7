"""Messages that keep their template and values, so that they can be translated."""

from collections.abc import Callable, Iterable, Mapping

_JOINED = "{{first}}{separator}{{rest}}"


class TemplatedText(str):
    """A finished English sentence with the template and the values it was made of."""

    template: str
    values: Mapping[str, str]

    def __new__(cls, template: str, values: Mapping[str, str]) -> "TemplatedText":
        """Fill in the values."""
        self = super().__new__(cls, template.format(**values))
        self.template = template
        self.values = values
        return self

    def __str__(self) -> "TemplatedText":
        """Return itself, so that `str(error)` keeps the template of the error's message."""
        return self

    def __reduce__(self) -> tuple[type["TemplatedText"], tuple[str, Mapping[str, str]]]:
        """Restore the template and values in pickle and deepcopy."""
        return TemplatedText, (self.template, self.values)

    def map_values(self, change: Callable[[str], str]) -> "TemplatedText":
        """Return the same sentence with each value changed, also in sentences inside it."""
        changed = {
            name: value.map_values(change) if isinstance(value, TemplatedText) else change(value)
            for name, value in self.values.items()
        }
        return TemplatedText(self.template, changed)


def text(template: str, /, **values: object) -> str:
    """Fill a template; each `{name}` is a value, which may be a sentence of its own."""
    as_text = {
        name: value if isinstance(value, str) else str(value) for name, value in values.items()
    }
    return TemplatedText(template, as_text)


def join_texts(separator: str, parts: Iterable[str]) -> str:
    """Join sentences; `str.join` would lose their templates."""
    template = _JOINED.format(separator=separator)
    joined = ""
    for part in parts:
        joined = text(template, first=joined, rest=part) if joined else part
    return joined
