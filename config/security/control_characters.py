"""Characters that control a terminal, change the direction of text, or are invisible.

In a command, an address or a rule none of them is right. In the text of people some are: those that
Persian, Indic scripts, Khmer, Mongolian, Japanese names and emoji are written with, and that are
seen there by what they do to their neighbours: `docs/decisions/0077`.
"""

# Ranges, to be put in the brackets of a pattern. U+FE0E and U+FE0F are not among them: behind a
# symbol they are wanted.
CONTROL_CHARACTERS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\xad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, joiners
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"  # zero width, separators, bidi
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"  # variations, byte order mark, annotations
    "\ud800-\udfff"  # halves of a pair
    "\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # scripts' and notes' layout
    "\U000e0000-\U000e0fff"  # tags and variations: invisible letters
)
SYMBOLS = (
    "0-9#*\xa9\xae\u203c\u2049\u2122\u2139"  # keys and signs
    "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
_JOINING = (
    "\u0620-\u065f\u066e-\u06d3\u06ee\u06ef\u06fa-\u074a\u074d-\u07f5\u0840-\u086a\u0870-\u08ff"
)
_INDIC = "\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3"
_KILLERS = (  # of a vowel: what follows is joined, or not
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u1039\u103a\u17d2"
)
_SPACELESS = "\u0e01-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1a20-\u1aad"
_MONGOLIAN = "\u1820-\u18aa"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Each between, or behind, the letters that it changes, and once
_JOINED = "|".join(
    (
        f"(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])",  # one emoji of several
        f"(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])",  # letters that are not joined
        f"(?<=[{_INDIC}])[\u200c\u200d](?=[{_INDIC}])|(?<=[{_KILLERS}])[\u200c\u200d]",
        f"(?<=[{_SPACELESS}])\u200b(?=[{_SPACELESS}])",  # between words
        f"(?<=[{_MONGOLIAN}])[\u180b-\u180f]",
        f"(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e01ef]",  # a form of a name's letter
    )
)
HIDDEN_CHARACTER = f"(?!{_JOINED})[{CONTROL_CHARACTERS}]"
"""A pattern: such a character where no script of people wants it."""
