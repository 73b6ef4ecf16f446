"""Memory: what loading a tokenizer adds, and whether words without end add more."""

from benchmarks.memory import STEPS, measure
from benchmarks.timing import OURS, CannotDo, Comparison, Outcome

# Of text in which every word is new: far more words than a cache holds.
MEGABYTES = 40


def keep(results, request, concern, text, found):
    tokenizer = request.node.callspec.params["model"]
    results.append(Comparison(concern, tokenizer, text, "MB", 1, found))


def test_memory_of_loading(results, request, loaded, quick):
    found = {}
    names = [peer.name for peer in loaded.peers][: 2 if quick else None]
    for name in names:
        try:
            megabytes = measure("load", name, str(loaded.folder))
            found[name] = Outcome(megabytes[0], rounds=1)
        except CannotDo as reason:
            if name == OURS:
                raise
            found[name] = Outcome(None, str(reason))
    keep(results, request, "memory, loaded", "tokenizer.json", found)


def test_memory_of_new_words(results, request, loaded, quick):
    megabytes = 1 if quick else MEGABYTES
    found = measure("words", OURS, str(loaded.folder), str(megabytes))
    for part in (1, STEPS // 2, STEPS):
        text = f"{megabytes * part / STEPS:g} MB of new words"
        keep(results, request, "memory, words", text, {OURS: Outcome(found[part - 1], rounds=1)})
