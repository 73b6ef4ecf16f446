"""A DataLoader whose workers tokenize: ``python data_loader.py MODEL_DIR [fork|spawn]``.

The tokenizer is made once, in the process that starts the workers, and may have been used
there before, with threads, too. A forked worker has it as it is; one that is spawned gets it
pickled. ``main`` needs torch.
"""

from __future__ import annotations

import sys
from typing import Any

from textcore import Tokenizer

TEXTS = [f"Document {number}: naïve 你好 👩‍👩‍👧‍👦 " * (number % 5 + 1) for number in range(200)]


class Texts:
    """A map-style dataset: texts, tokenized where they are asked for."""

    def __init__(self, texts: list[str], tokenizer: Tokenizer) -> None:
        self.texts = texts
        self.tokenizer = tokenizer

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> list[int]:
        return self.tokenizer.encode(self.texts[index])


def padded(batch: list[list[int]]) -> Any:
    """A batch as one tensor; -100 is what losses leave out."""
    import torch

    rows = [torch.tensor(ids) for ids in batch]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-100)


def main(model: str, method: str = "fork") -> list[Any]:
    """All batches, from two workers."""
    from torch.utils.data import DataLoader

    tokenizer = Tokenizer.from_dir(model)
    tokenizer.encode_batch(TEXTS, threads=4)
    loader = DataLoader(
        Texts(TEXTS, tokenizer),  # type: ignore[arg-type]
        batch_size=8,
        num_workers=2,
        collate_fn=padded,
        multiprocessing_context=method,
    )
    return list(loader)


if __name__ == "__main__":
    print(*(tuple(batch.shape) for batch in main(*sys.argv[1:])))
