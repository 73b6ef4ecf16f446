"""A cache of the hub in which transformers' tokenizer tests find checkpoints.

    python scripts/transformers_checkpoints.py CHECKOUT CACHE [FOLDER]

Every checkpoint that a test class names (``from_pretrained_id``) is put into CACHE: from
``FOLDER/org--name`` where there is such a folder, or else, for classes of fast tokenizers, made
here by training a small tokenizer of the class. Used by check_transformers_tests.py.
"""

from __future__ import annotations

import ast
import io
import json
import math
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

COMMIT = "0" * 40
# Files that are asked for and are in no checkpoint here.
ABSENT = (
    *("config.json", "processor_config.json", "preprocessor_config.json", "chat_template.json"),
    *("added_tokens.json", "special_tokens_map.json", "vocab.json", "merges.txt", "vocab.txt"),
    *("chat_template.jinja", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model"),
    *("tekken.json", "adapter_config.json", "tokenizer.model.v3", "params.json"),
)
VOCABULARY = 2000
# The longest piece of a Unigram model, in characters.
LONGEST = 6
# Classes that can't be made without arguments, and what stands for them.
OPTIONS: dict[str, dict[str, Any]] = {
    "MarkupLMTokenizer": {"tags_dict": {"a": 0}},
    "PegasusTokenizer": {"vocab": [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]},
}
GENERIC = {"TokenizersBackend": "GPTNeoXTokenizer", "PreTrainedTokenizerFast": "LlamaTokenizer",
           "ParakeetTokenizerFast": "LlamaTokenizer"}  # fmt: skip


def declared(checkout: Path) -> Iterator[tuple[str, str]]:
    """Checkpoints that test classes name, with the names of their tokenizers' classes."""
    for path in sorted(checkout.glob("tests/models/*/test_tokenization_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for made in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            values = {
                target.id: statement.value
                for statement in made.body
                if isinstance(statement, ast.Assign)
                for target in statement.targets
                if isinstance(target, ast.Name)
            }
            kind = values.get("rust_tokenizer_class") or values.get("tokenizer_class")
            if "from_pretrained_id" in values and isinstance(kind, ast.Name):
                ids = ast.literal_eval(values["from_pretrained_id"])
                for name in [ids] if isinstance(ids, str) else ids or []:
                    yield name, kind.id


def texts(checkout: Path) -> list[str]:
    """What small tokenizers are trained on: the tests of tokenizers."""
    found = []
    for path in sorted(checkout.glob("tests/models/*/test_tokenization_*.py")):
        found += path.read_text(encoding="utf-8").splitlines()
    return found


def small(name: str, corpus: list[str], folder: Path) -> None:
    """Train a small tokenizer of a class of transformers, and save it in ``folder``."""
    import transformers

    kind = getattr(transformers, GENERIC.get(name, name))
    if not issubclass(kind, transformers.TokenizersBackend):
        raise TypeError("not a fast tokenizer")
    file = kind.vocab_files_names.get("vocab_file", "")
    if file.endswith(".model"):
        (folder / file).write_bytes(sentence_pieces(corpus))
        config = {"tokenizer_class": kind.__name__}
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
        kind.from_pretrained(folder).save_pretrained(folder)
        return
    made = kind(**OPTIONS.get(kind.__name__, {}))
    model = json.loads(made.backend_tokenizer.to_str())["model"]
    if model["type"] == "Unigram":
        kind(vocab=[*map(tuple, model["vocab"]), *pieces(corpus)]).save_pretrained(folder)
    else:
        made.train_new_from_iterator(corpus, VOCABULARY).save_pretrained(folder)


def sentence_pieces(corpus: list[str]) -> bytes:
    """A small SentencePiece model."""
    import sentencepiece

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line for line in corpus if line.strip()),
        model_writer=written,
        vocab_size=VOCABULARY,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
    )
    return written.getvalue()


def pieces(corpus: list[str]) -> list[tuple[str, float]]:
    """Characters and frequent parts of words with their logarithms of frequencies.

    The reference's own trainer of Unigram models panics on what there is to train on.
    """
    counts: Counter[str] = Counter()
    for word in ("\u2581" + word for line in corpus for word in line.split()):
        for start in range(len(word)):
            counts.update(word[start : start + length] for length in range(1, LONGEST + 1))
    total = sum(counts.values())
    frequent = [piece for piece, _ in counts.most_common(VOCABULARY)]
    kept = dict.fromkeys([*frequent, *sorted(piece for piece in counts if len(piece) == 1)])
    return [(piece, math.log(counts[piece] / total)) for piece in kept]


def put(cache: Path, name: str, folder: Path) -> None:
    """A folder's files into the cache, as a checkpoint's."""
    place = cache / f"models--{name.replace('/', '--')}"
    snapshot = place / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    for path in folder.iterdir():
        shutil.copy(path, snapshot / path.name)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(COMMIT)
    absent = place / ".no_exist" / COMMIT
    absent.mkdir(parents=True)
    for file in ABSENT:
        if not (snapshot / file).exists():
            (absent / file).touch()


def main() -> None:
    """Fill the cache; say what could not be made."""
    checkout, cache = map(Path, sys.argv[1:3])
    given = {
        path.name.replace("--", "/"): path
        for path in (Path(sys.argv[3]).iterdir() if len(sys.argv) > 3 else ())
    }
    done = {path.name[len("models--") :].replace("--", "/") for path in cache.glob("models--*")}
    for name, folder in given.items():
        if name not in done:
            put(cache, name, folder)
    corpus = texts(checkout)
    done.update(given)
    for name, kind in declared(checkout):
        if name in done:
            continue
        done.add(name)
        with tempfile.TemporaryDirectory() as folder:
            try:
                small(kind, corpus, Path(folder))
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                print(f"no checkpoint {name} of {kind}: {type(error).__name__}: {error}"[:200])
                continue
            put(cache, name, Path(folder))


if __name__ == "__main__":
    main()
