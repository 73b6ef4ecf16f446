"""Warm encoding where the processor's vector instructions are not used, or fewer of them."""

import pytest

from benchmarks.corpora import size_of
from benchmarks.peers import Textcore, load
from benchmarks.timing import Phase

# The peers that use such instructions, and those to beat.
FASTEST = ("gigatoken", "fastokens")
VARIANTS = {"textcore, AVX2": "avx2", "textcore, plain C": "plain"}


@pytest.fixture(scope="session")
def variants(model):
    """textcore with its dispatch forced, which happens when a tokenizer is loaded."""
    with pytest.MonkeyPatch.context() as patch:
        made = {}
        for name, level in VARIANTS.items():
            patch.setenv("TEXTCORE_SIMD", level)
            made[name] = load(Textcore, model)
    return {name: (lambda peer=peer: peer) for name, peer in made.items()}


def test_encode_simd(turns, loaded, variants, documents):
    makers = loaded.makers("encode")
    fastest = {name: makers[name] for name in FASTEST if name in makers}
    turns.compare(
        {"textcore": makers["textcore"], **variants, **fastest},
        Phase(
            "encode, other vector instructions",
            lambda peer: peer.encode(documents),
            size_of(documents),
        ),
        expected=[loaded.ids(documents)],
    )
