"""textcore and its peers behind one interface: a library with one tokenizer loaded.

Every job takes many texts, and is written as someone who uses that library would write it, so
that no wrapper's cost is counted for a call. A job that a library lacks is a method that its
class lacks. Caches of whole texts or segments, which some libraries have, are off: a benchmark
that repeats its texts would measure nothing else.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.timing import OURS, CannotDo

Ids = list[list[int]]

# Threads of a batch.
PROCESSORS = os.cpu_count() or 1


class Peer:
    """A library with the tokenizer of a folder's tokenizer.json; raises what the library does.

    ``module`` is what is imported, ``distribution`` what is installed. Which jobs there are:

    - ``encode``: lists of ids, one text a call; ``encode_to_numpy``: arrays; ``count``: numbers
    - ``encode_batch``: lists of ids, one call; ``encode_batch_to_numpy``: whatever flat form
      the library has, which ``batch_lists`` makes lists of
    - ``decode``: texts; ``stream``: texts, put together from one id a call
    """

    name: ClassVar[str]
    module: ClassVar[str]
    distribution: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        raise NotImplementedError

    def encode(self, texts: list[str]) -> Ids:
        raise NotImplementedError


class Textcore(Peer):
    name = OURS
    module = distribution = "textcore"

    def __init__(self, folder: Path) -> None:
        from textcore import IncrementalDetokenizer, Tokenizer

        # Its cache of prompts is off, as such a cache is in every library.
        self.tokenizer = Tokenizer.from_file(folder / "tokenizer.json", prompt_cache=0)
        self.detokenizer = IncrementalDetokenizer

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text) for text in texts]

    def encode_to_numpy(self, texts: list[str]) -> list[Any]:
        encode = self.tokenizer.encode_to_numpy
        return [encode(text) for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        count = self.tokenizer.count
        return [count(text) for text in texts]

    def encode_batch(self, texts: list[str], threads: int = PROCESSORS) -> Ids:
        return self.tokenizer.encode_batch(texts, threads=threads)

    def encode_batch_to_numpy(self, texts: list[str], threads: int = PROCESSORS) -> Any:
        return self.tokenizer.encode_batch_to_numpy(texts, threads=threads)

    def batch_lists(self, batch: Any) -> Ids:
        return from_offsets(*batch)

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids) for ids in batch]

    def stream(self, batch: Ids) -> list[str]:
        texts = []
        for ids in batch:
            stream = self.detokenizer(self.tokenizer)
            texts.append("".join([stream.add(token) for token in ids]) + stream.flush())
        return texts


class Tokenizers(Peer):
    """Hugging Face ``tokenizers``, the reference."""

    name = module = distribution = "tokenizers"

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer
        from tokenizers.decoders import DecodeStream

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.decode_stream = DecodeStream

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text, add_special_tokens=False).ids for text in texts]

    def encode_to_numpy(self, texts: list[str]) -> list[Any]:
        from numpy import array, uint32

        encode = self.tokenizer.encode
        return [array(encode(text, add_special_tokens=False).ids, uint32) for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        encode = self.tokenizer.encode
        return [len(encode(text, add_special_tokens=False)) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        encodings = self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def encode_batch_to_numpy(self, texts: list[str]) -> Any:
        from numpy import array, uint32

        return [array(ids, uint32) for ids in self.encode_batch(texts)]

    def batch_lists(self, batch: Any) -> Ids:
        return [ids.tolist() for ids in batch]

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids, skip_special_tokens=False) for ids in batch]

    def stream(self, batch: Ids) -> list[str]:
        texts = []
        for ids in batch:
            step, tokenizer = self.decode_stream(skip_special_tokens=True).step, self.tokenizer
            texts.append("".join([step(tokenizer, token) or "" for token in ids]))
        return texts


class Gigatoken(Peer):
    name = module = distribution = "gigatoken"

    def __init__(self, folder: Path) -> None:
        from gigatoken import Tokenizer

        self.tokenizer = Tokenizer(folder / "tokenizer.json")

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text).tolist() for text in texts]

    def encode_to_numpy(self, texts: list[str]) -> list[Any]:
        encode = self.tokenizer.encode
        return [encode(text) for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        encode = self.tokenizer.encode
        return [len(encode(text)) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        return self.tokenizer.encode_batch_list(texts)

    def encode_batch_to_numpy(self, texts: list[str]) -> Any:
        return self.tokenizer.encode_batch(texts)

    def batch_lists(self, batch: Any) -> Ids:
        return [ids.tolist() for ids in batch]

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids).decode("utf-8", "replace") for ids in batch]


class Fastokens(Peer):
    name = module = distribution = "fastokens"

    def __init__(self, folder: Path) -> None:
        from fastokens._native import DecodeStream, Tokenizer

        # Its cache of segments is off unless this says otherwise when a tokenizer is made.
        os.environ.pop("FASTOKENS_SEGMENT_CACHE", None)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.decode_stream = DecodeStream
        # What the file says of them is not asked for by any job.
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text).ids for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        encode = self.tokenizer.encode
        return [len(encode(text)) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def encode_batch_to_numpy(self, texts: list[str]) -> Any:
        from numpy import frombuffer, uint32, uint64

        ids, offsets = self.tokenizer.encode_batch_flat(texts)
        return frombuffer(ids, uint32), frombuffer(offsets, uint64)

    def batch_lists(self, batch: Any) -> Ids:
        return from_offsets(*batch)

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids) for ids in batch]

    def stream(self, batch: Ids) -> list[str]:
        texts = []
        for ids in batch:
            step, tokenizer = self.decode_stream(skip_special_tokens=True).step, self.tokenizer
            texts.append("".join([step(tokenizer, token) or "" for token in ids]))
        return texts


class Splintr(Peer):
    name = module = "splintr"
    distribution = "splintr-rs"

    def __init__(self, folder: Path) -> None:
        from splintr import from_json

        self.tokenizer = from_json(str(folder / "tokenizer.json"))

    def encode(self, texts: list[str]) -> Ids:
        # `encode` would add what the file's post-processor adds, such as a BOS.
        encode = self.tokenizer.encode_raw
        return [encode(text) for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        encode = self.tokenizer.encode_raw
        return [len(encode(text)) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        self._check_batch()
        return self.tokenizer.encode_batch(texts)

    def encode_batch_to_numpy(self, texts: list[str]) -> Any:
        from numpy import frombuffer, uint32, uint64

        self._check_batch()
        ids, offsets = self.tokenizer.encode_batch_flat(texts)
        return frombuffer(ids, uint32), frombuffer(offsets, uint64)

    def _check_batch(self) -> None:
        if self.tokenizer.encode("a") != self.tokenizer.encode_raw("a"):
            raise CannotDo("its batches get special tokens added, which can't be switched off")

    def batch_lists(self, batch: Any) -> Ids:
        return from_offsets(*batch)

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode_with_special
        return [decode(ids) for ids in batch]

    def stream(self, batch: Ids) -> list[str]:
        texts = []
        for ids in batch:
            stream = self.tokenizer.streaming_decoder()
            add = stream.add_token
            texts.append("".join([add(token) or "" for token in ids]) + stream.flush())
        return texts


class Kitoken(Peer):
    name = module = distribution = "kitoken"

    def __init__(self, folder: Path) -> None:
        from kitoken import Kitoken

        self.tokenizer = Kitoken.from_tokenizers_file(str(folder / "tokenizer.json"))

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text, True) for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        encode = self.tokenizer.encode
        return [len(encode(text, True)) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        return self.tokenizer.encode_all(texts, True)

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids, True).decode("utf-8", "replace") for ids in batch]


class Iree(Peer):
    name = "iree"
    module = "iree.tokenizer"
    distribution = "iree-tokenizer"

    def __init__(self, folder: Path) -> None:
        from iree.tokenizer import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text) for text in texts]

    def encode_to_numpy(self, texts: list[str]) -> list[Any]:
        encode = self.tokenizer.encode_to_array
        return [encode(text) for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        encode = self.tokenizer.encode_to_array
        return [len(encode(text)) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        return self.tokenizer.encode_batch(texts)

    def encode_batch_to_numpy(self, texts: list[str]) -> Any:
        return self.tokenizer.encode_batch_to_array(texts)

    def batch_lists(self, batch: Any) -> Ids:
        from numpy import concatenate, cumsum

        ids, lengths = batch
        return from_offsets(ids, concatenate(([0], cumsum(lengths))))

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids) for ids in batch]

    def stream(self, batch: Ids) -> list[str]:
        texts = []
        for ids in batch:
            stream = self.tokenizer.decode_stream(skip_special_tokens=True)
            feed = stream.feed
            texts.append("".join([feed([token]) for token in ids]) + stream.finalize())
        return texts


class Tiktoken(Peer):
    """``tiktoken`` with a tokenizer.json's vocabulary, where that is an encoding of its kind."""

    name = module = distribution = "tiktoken"

    def __init__(self, folder: Path) -> None:
        from tiktoken import Encoding

        from textcore import bytes_to_unicode

        spec = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        pattern = only_pattern(spec)
        byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
        added = {token["content"]: token["id"] for token in spec["added_tokens"]}
        ranks = {
            bytes([byte_of[character] for character in token]): rank
            for token, rank in spec["model"]["vocab"].items()
            if token not in added
        }
        self.tokenizer = Encoding(
            folder.name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=added
        )

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text, allowed_special="all") for text in texts]

    def encode_to_numpy(self, texts: list[str]) -> list[Any]:
        encode = self.tokenizer.encode_to_numpy
        return [encode(text, allowed_special="all") for text in texts]

    def count(self, texts: list[str]) -> list[int]:
        encode = self.tokenizer.encode
        return [len(encode(text, allowed_special="all")) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        return self.tokenizer.encode_batch(texts, num_threads=PROCESSORS, allowed_special="all")

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids) for ids in batch]


class SentencePiece(Peer):
    name = module = distribution = "sentencepiece"

    def __init__(self, folder: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        if not (folder / "tokenizer.model").is_file():
            raise CannotDo("there is no tokenizer.model")
        self.tokenizer = SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))

    def encode(self, texts: list[str]) -> Ids:
        encode = self.tokenizer.encode
        return [encode(text) for text in texts]

    def encode_batch(self, texts: list[str]) -> Ids:
        return self.tokenizer.encode(texts, num_threads=PROCESSORS)

    def decode(self, batch: Ids) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(ids) for ids in batch]


PEERS: tuple[type[Peer], ...] = (
    Textcore,
    Tokenizers,
    Gigatoken,
    Fastokens,
    Splintr,
    Kitoken,
    Iree,
    Tiktoken,
    SentencePiece,
)
BY_NAME = {peer.name: peer for peer in PEERS}


def missing(peers: Iterable[type[Peer]] = PEERS) -> list[str]:
    """The distributions of peers that are not installed."""
    return [
        peer.distribution
        for peer in peers
        if importlib.util.find_spec(peer.module.partition(".")[0]) is None
    ]


def from_offsets(ids: Any, offsets: Any) -> Ids:
    """Flat ids as one list for each text."""
    bounds = offsets.tolist()
    return [ids[start:end].tolist() for start, end in pairwise(bounds)]


def only_pattern(spec: dict[str, Any]) -> str:
    """The split pattern of a byte-level tokenizer.json that works as ``tiktoken`` does.

    Raises CannotDo for one that does anything else.
    """
    if spec["model"].get("type") != "BPE":
        raise CannotDo("not a BPE model")
    normalizer = spec.get("normalizer")
    if normalizer is not None and normalizer.get("normalizers") != []:
        raise CannotDo("it has no normalizers")
    pre = spec.get("pre_tokenizer") or {}
    steps = pre.get("pretokenizers", [pre])
    split, last = (steps[0], steps[-1]) if len(steps) == 2 else ({}, {})
    if (split.get("type"), last.get("type")) != ("Split", "ByteLevel") or last.get("use_regex"):
        raise CannotDo("it splits by one pattern only")
    pattern = split["pattern"].get("Regex")
    if pattern is None or split["behavior"] != "Isolated" or split.get("invert"):
        raise CannotDo("it splits by one pattern only")
    return str(pattern)


class Loaded:
    """A tokenizer loaded once by every library; what can't load it is kept as its error."""

    def __init__(self, folder: Path, peers: Iterable[type[Peer]]) -> None:
        self.folder, self.peers = folder, tuple(peers)
        self._loaded: dict[str, Peer | CannotDo] = {}
        self._texts: list[str] = []
        self._ids: Ids = []

    def makers(self, *jobs: str) -> dict[str, Callable[[], Peer]]:
        """For each library that has these jobs, what gives it, or raises why it can't load."""
        return {
            peer.name: self._maker(peer)
            for peer in self.peers
            if all(hasattr(peer, job) for job in jobs)
        }

    def fresh(self) -> dict[str, Callable[[], Peer]]:
        """For each library, what loads the tokenizer anew, or raises CannotDo."""
        return {peer.name: partial(load, peer, self.folder) for peer in self.peers}

    def close(self) -> None:
        """Let go of everything that is loaded."""
        self._loaded.clear()

    def ids(self, texts: list[str]) -> Ids:
        """The reference's ids of some texts; those asked for last are remembered."""
        if self._texts != texts:
            self._texts, self._ids = texts, self._maker(Tokenizers)().encode(texts)
        return self._ids

    def _maker(self, peer: type[Peer]) -> Callable[[], Peer]:
        def give() -> Peer:
            if peer.name not in self._loaded:
                try:
                    self._loaded[peer.name] = load(peer, self.folder)
                except CannotDo as reason:
                    self._loaded[peer.name] = reason
            found = self._loaded[peer.name]
            if isinstance(found, CannotDo):
                raise found
            return found

        return give


def load(peer: type[Peer], folder: Path) -> Peer:
    """A library with the tokenizer loaded. Raises CannotDo where a peer can't load it."""
    try:
        return peer(folder)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:  # a Rust panic is no Exception
        if peer in (Textcore, Tokenizers):
            raise
        raise CannotDo(f"can't load: {problem}") from None
