"""Markdown of the model's answer, laid out for the terminal as it streams.

The model's answer is Markdown: `cli/rendering/markdown/blocks.py` finds its finished blocks,
`cli/rendering/markdown/layout.py` lays them out in rows, `cli/rendering/markdown/live.py` prints
these once and shows the unfinished tail below them. In a conversation the prompt's part of the
screen shows the tail (`cli/repl/session/turn_renderer.py`); without a terminal the text is printed
unchanged.
"""
