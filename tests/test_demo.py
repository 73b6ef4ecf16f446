"""The main job prints what it promises, and what it prints is right."""

from __future__ import annotations

import json

import pytest
from tokenizers import Tokenizer as Reference

from textcore import demo
from textcore.cli import main
from textcore.data import DEFAULT_DIR


@pytest.fixture(scope="module")
def records() -> dict[str, dict]:
    """The main job's records by part; the two speeds by the name of their text."""
    found = list(demo.records(DEFAULT_DIR))
    return {record.get("text") if record["part"] == "encode" else record["part"]: record
            for record in found}  # fmt: skip


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference.from_file(str(DEFAULT_DIR / "tokenizer.json"))


@pytest.mark.parametrize("text", ["repetitive", "random words"])
def test_speed_is_measured_beside_the_reference(records, text):
    record = records[text]
    assert record["identical_ids"] is True
    assert set(record["tokens_per_s"]) == {"textcore", "tokenizers"}
    assert min(record["tokens_per_s"].values()) > 0


def test_random_words_are_all_different():
    words = demo.random_words(demo.WORDS, 0).split(" ")
    assert len(words) == len(set(words)) == demo.WORDS


def test_a_difference_from_the_reference_is_reported():
    encoders = {"textcore": lambda text: [1, 2], "tokenizers": lambda text: [1, 3]}
    assert demo.speed_record("x", encoders, ["a"])["identical_ids"] is False


def test_identity_is_unknown_without_the_reference():
    assert demo.speed_record("x", {"textcore": lambda text: [1]}, ["a"])["identical_ids"] is None


def test_one_by_one_decoding_breaks_what_the_stream_keeps(records):
    record = records["stream"]
    assert "\ufffd" in "".join(record["decoded_one_by_one"])
    assert "".join(record["deltas"]) == demo.FAMILY
    assert record["equal_to_decode"] is True


def test_the_stop_is_found_across_deltas(records):
    record = records["stop"]
    assert record["stopped"] == demo.STOP
    assert "".join(record["deltas"]) == record["text"] == demo.ANSWER.split(demo.STOP)[0]


def test_the_prompt_is_counted_as_the_reference_counts_it(records, reference):
    record = records["chat"]
    prompt = demo.render_chat(demo.CHATML_TEMPLATE, demo.MESSAGES)
    assert record["tokens"] == len(reference.encode(prompt, add_special_tokens=False).ids)
    assert prompt.endswith(record["tail"])
    assert "And tomorrow?" in record["tail"]


def test_the_response_is_parsed_into_its_parts(records):
    record = records["parse"]
    assert record["reasoning_content"] == "The user asks about tomorrow: look it up."
    assert record["content"] == "Let me look."
    (call,) = record["tool_calls"]
    assert call["function"]["name"] == "get_weather"
    assert json.loads(call["function"]["arguments"]) == {"city": "Paris", "day": 1}


def test_the_command_prints_a_json_line_a_record(monkeypatch, capfdbinary):
    monkeypatch.setattr(demo, "records", lambda where: iter([{"part": "é"}, {"part": "b"}]))
    assert main(["text"]) == 0
    out, _ = capfdbinary.readouterr()
    assert [json.loads(line)["part"] for line in out.splitlines()] == ["é", "b"]


def test_the_command_fails_where_ids_differ(monkeypatch, capfdbinary):
    monkeypatch.setattr(demo, "records", lambda where: iter([{"identical_ids": False}]))
    assert main(["text"]) == 1
