"""The order of the strategies: the first that finds a place decides."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .matching.document import TextDocument
from .matching.edit_request import EditRequest, LineMatch
from .rewriting.fuzzy_block import find_similar_blocks
from .strategies import (
    AnyMatch,
    Strategy,
    filter_by_indentation,
    has_enough_letters,
    match_everywhere,
    match_inside_line,
    match_line_trimmed,
    match_simple,
    match_trimmed_boundary,
    match_whitespace_normalized,
    match_without_empty_lines,
)

_FENCE = re.compile(r"[ \t]*(`{3,}+|~{3,}+)[^`\n]*")
# numbers before lines, each with its signs around it; an empty line may have the number alone
_NUMBERED = [
    re.compile(rf"[ \t]*{before}(\d{{1,18}})(?:{after}|[ \t]*$)")
    for before, after in (
        ("", r"[ \t]*→"),
        ("", r"[ ]*[|│┃]"),
        ("", r"\t"),
        ("(?:L|[Ll]ine )?", ":"),
        (r"\[", r"\]"),
        ("", r"[ ]?[-=]>"),
        ("", r"[.)](?=[ \t]|$)"),
        ("", r"[ ]-(?=[ \t]|$)"),
        ("", "[ ]"),
    )
]
# those behind which the line begins at once; behind the others a blank may stand
_TIGHT = [_NUMBERED[0], _NUMBERED[2], _NUMBERED[-1]]
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#[xX][0-9a-fA-F]{1,5});")
# a character beyond 16 bits is written as two of them
_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"""\\(?:{_PAIR}|u(?![dD][89a-fA-F])[0-9a-fA-F]{{4}}|[ntr"'`\\$/])""")
_WHITE = {"n": "\n", "t": "\t", "r": "\r"}
EXACT = ("simple", match_simple)
TRIMMED = ("line_trimmed", match_line_trimmed)
NORMALIZED = ("whitespace_normalized", match_whitespace_normalized)


def iter_variants(request: EditRequest) -> Iterator[EditRequest]:
    """Yield every other possible reading, the surest first."""
    bases = [request]
    for read in (without_fence, without_numbers):
        variants = [other for base in bases for other in read(base)]
        yield from variants
        bases += variants
    for base in bases:
        yield from without_entities(base)
        yield from without_escapes(base)


def without_fence(request: EditRequest) -> Iterator[EditRequest]:
    """Remove the Markdown fence around the old text."""
    old = _extract_fenced(request.old)
    if old is not None:
        fenced = _extract_fenced(request.new)
        new = request.new if fenced is None else fenced
        end = "\n" if new and not new.endswith("\n") else ""
        yield _make_variant(request, old, new + end, "code fence")


def _extract_fenced(text: str) -> str | None:
    """Return the lines inside a fence; None for a text without one."""
    first, *lines = text.removesuffix("\n").split("\n")
    opens = _FENCE.fullmatch(first)
    if not opens or not lines or not (last := lines.pop().strip(" \t")).startswith(opens[1]):
        return None
    return None if last.strip(opens[1][0]) else "".join(f"{line}\n" for line in lines)


def without_numbers(request: EditRequest) -> Iterator[EditRequest]:
    """Remove the numbers before the lines, which must be consecutive.

    A single number must be that of the line in the file.
    """
    lines = request.old_lines
    for style in _NUMBERED:
        numbers = {at: match for at, line in enumerate(lines) if (match := style.match(line))}
        begins = {int(match[1]) - at for at, match in numbers.items()}
        bare = any(line.strip() for at, line in enumerate(lines) if at not in numbers)
        if (
            bare
            or len(begins) != 1
            or not any(match.end() < len(match.string) for match in numbers.values())
        ):
            continue
        bare_old = _strip_numbers(request.old, style)
        spaced = style not in _TIGHT and all(line[:1] in ("", " ") for line in bare_old)
        old, new = (_strip_numbers(text, style, spaced) for text in (request.old, request.new))
        read = _make_variant(request, "\n".join(old), "\n".join(new), "line numbers")
        yield read if len(numbers) > 1 else replace(read, line=begins.pop())
        return


def without_entities(request: EditRequest) -> Iterator[EditRequest]:
    """Replace HTML entities by their characters."""
    kinds = {entity: html.unescape(entity) for entity in _ENTITY.findall(request.old)}
    if kinds:
        old = _ENTITY.sub(lambda entity: html.unescape(entity[0]), request.old)
        new = _ENTITY.sub(lambda entity: html.unescape(entity[0]), request.new)
        raw = _has_unescaped(request.new, kinds.values(), _ENTITY)
        yield _make_variant(request, old, request.new if raw else new, "HTML entities")


def without_escapes(request: EditRequest) -> Iterator[EditRequest]:
    """Unescape the request once: all of it, or only blanks, or only quotes."""
    seen = {request.old}
    for kinds in ("ntr\"'`\\$/u", "ntr", "\"'`"):
        old, new = _unescape_text(request.old, kinds), _unescape_new_text(request, kinds)
        if request.whole_lines:  # of two line breaks at the end the second is the form's own
            old, new = (
                text[:-1] if sent.endswith("\\n\n") and text.endswith("\n\n") else text
                for sent, text in ((request.old, old), (request.new, new))
            )
        if old not in seen:
            seen.add(old)
            yield _make_variant(request, old, new, "escapes")


def _make_variant(request: EditRequest, old: str, new: str, adaptation: str) -> EditRequest:
    return replace(request, old=old, new=new, adapted=(*request.adapted, adaptation), literal=False)


def _strip_numbers(text: str, style: re.Pattern[str], spaced: bool = False) -> list[str]:
    """Remove the numbers of the lines, if most have one; with `spaced`, the blank behind it too."""
    # a line may be a number itself, so one that does not follow the number above stays
    lines = text.split("\n")
    matches = [style.match(line) for line in lines]
    signed = [number for number in matches if number and number.end() < len(number.string)]
    if 2 * len(signed) < sum(bool(line.strip()) for line in lines):
        return lines
    bare, last = list[str](), None
    for line, number in zip(lines, matches, strict=True):
        alone = number is not None and line.strip() == number[1]
        follows = number is not None and (last is None or int(number[1]) == last + 1)
        if number is None or (alone and not follows):
            bare.append(line)
            continue
        rest = line[number.end() :]
        bare.append(rest.removeprefix(" ") if spaced else rest)
        last = int(number[1])
    return bare


def _unescape_text(text: str, kinds: str) -> str:
    def unescape_letter(escape: re.Match[str]) -> str:
        letter = escape[0][1]
        if letter not in kinds:
            return escape[0]
        if letter != "u":
            return _WHITE.get(letter, letter)
        units = bytes.fromhex(escape[0].replace("\\u", ""))
        return units.decode("utf-16-be")

    return _ESCAPE.sub(unescape_letter, text)


def _unescape_new_text(request: EditRequest, kinds: str) -> str:
    """Unescape the kinds of escapes that the old text has, or could have had."""
    # a kind that the old text has unescaped was not escaped; a new text with the plain character
    # that the old text escapes was not escaped at all
    escaped = {escape[1] for escape in _ESCAPE.findall(request.old)}
    characters = {_WHITE.get(kind, kind) for kind in kinds if kind in escaped - {"u", "\\"}}
    if _has_unescaped(request.new, characters, _ESCAPE):
        return request.new
    bare = _ESCAPE.sub("", request.old.removesuffix("\n"))
    plain = {kind for kind in kinds if _WHITE.get(kind, kind) in bare} - escaped - {"u"}
    return _unescape_text(request.new, "".join(kind for kind in kinds if kind not in plain))


def _has_unescaped(text: str, characters: Iterable[str], escape: re.Pattern[str]) -> bool:
    """Return whether the text has one of the characters unescaped, apart from its last newline."""
    bare = escape.sub("", text.removesuffix("\n"))
    return any(character in bare for character in characters)


@dataclass(frozen=True)
class StrategyResult:
    """The places that the deciding strategy found, for one reading of the request."""

    strategy: str
    request: EditRequest
    places: Sequence[AnyMatch]


# which of the places count
PlaceFilter = Callable[[Sequence[AnyMatch]], Sequence[AnyMatch]]


def find_matches(source: TextDocument, request: EditRequest) -> StrategyResult | None:
    """Return the places of the first strategy that finds any; raise TooManyBlocksError."""
    return find_lines(source, request, list) or find_similar(source, request, list)


def find_lines(
    source: TextDocument, request: EditRequest, chosen: PlaceFilter
) -> StrategyResult | None:
    """Do the same without similarity, among the places that `chosen` keeps."""
    for name, reading, strategy in _iter_attempts(request):
        places = chosen(_filter_by_line(reading, strategy(source, reading)))
        if len(places) > 1 and strategy is match_line_trimmed:
            same = filter_by_indentation(source, [p for p in places if isinstance(p, LineMatch)])
            if len(same) == 1:
                return StrategyResult(
                    "indentation_flexible" if reading.literal else name, reading, same
                )
        if places:
            return StrategyResult(name, reading, places)
    return None


def find_all(source: TextDocument, request: EditRequest) -> StrategyResult:
    """Find all places, for a change everywhere."""
    # nothing looser than whole lines without outer blanks: no place is reviewed
    return StrategyResult("multi_occurrence", request, match_everywhere(source, request))


def _filter_by_line(request: EditRequest, places: Sequence[AnyMatch]) -> Sequence[AnyMatch]:
    if request.line is None:
        return places
    return [p for p in places if isinstance(p, LineMatch) and p.start + 1 == request.line]


def _iter_attempts(request: EditRequest) -> Iterator[tuple[str, EditRequest, Strategy]]:
    for name, strategy in (EXACT, TRIMMED, NORMALIZED):
        yield name, request, strategy
    if not request.old.strip():
        return
    for reading in iter_variants(request):
        if has_enough_letters(reading.old):
            for _, strategy in (EXACT, TRIMMED, NORMALIZED):
                yield "escape_normalized", reading, strategy
    yield "trimmed_boundary", request, match_trimmed_boundary
    yield "trimmed_boundary", request, match_inside_line
    for reading in _iter_sure_variants(request):
        yield "whitespace_normalized", reading, match_without_empty_lines


def _iter_sure_variants(request: EditRequest) -> Iterator[EditRequest]:
    """Yield the request, without a fence or line numbers if it has them."""
    bare = next(without_fence(request), request)
    yield next(without_numbers(bare), bare)


def find_similar(
    source: TextDocument, request: EditRequest, chosen: PlaceFilter
) -> StrategyResult | None:
    """Find similar blocks, among the places that `chosen` keeps; raise TooManyBlocksError."""
    for reading in _iter_sure_variants(request):
        places = [
            place
            for place in chosen(find_similar_blocks(source, reading))
            if isinstance(place, LineMatch)
        ]
        if places:
            same_lines = all(pair is not None for pair in places[0].pairs)
            size = len(places[0].pairs) == places[0].end - places[0].start
            name = "block_anchor" if same_lines and size else "context_aware"
            return StrategyResult(name, reading, places)
    return None
