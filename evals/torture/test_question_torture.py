"""A few sentences in the suite; `make torture-questions N=700` is the long one."""

import asyncio

from question_torture import KINDS, build_sentences, play


def test_sentence_is_no_consent_to_any_question() -> None:
    counts, faults, _ = asyncio.run(play(len(KINDS), seed=3, terminals=len(KINDS)))
    assert faults == []
    assert counts["after: a no"] == len(KINDS) - 1  # an unfinished turn stays as it is


def test_sentences_are_of_both_languages_and_many() -> None:
    sentences = build_sentences()
    assert len({one.text for one in sentences if one.text.isascii()}) >= 500
    assert len(sentences) == 700
