"""Characters that control a terminal, change the direction of text, or are invisible."""

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
