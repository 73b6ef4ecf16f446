# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A BPE model from the tables that ``vocabscan`` reads: what BPE makes of the same dicts."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from .bpe cimport (
    BPE, tc_last_merges, tc_last_merges_free, tc_last_merges_init, tc_parts,
    tc_pair_at, tc_pairs_slots, tc_parts_free, tc_parts_init, tc_parts_note, tc_wholes_add,
)
from .cuts cimport Cuts
from .model cimport NONE, Scratch, scratch_free, scratch_init
from .spellings cimport Spellings
from .vocabscan cimport Contents, Merges, Vocabulary


def scanned_bpe(Vocabulary vocabulary not None, Merges merges not None,
                Contents contents not None, *, bint byte_level, str unk_token=None,
                bint fuse_unk=False, bint byte_fallback=False, bint ignore_merges=False):
    """The BPE model; ``contents`` are those of the vocabulary. See BPE for the rest.

    Raises ValueError for tables that don't belong together.
    """
    cdef BPE bpe = BPE.__new__(BPE)
    if merges.vocabulary is not vocabulary or contents.vocabulary is not vocabulary:
        raise ValueError("merges or contents of another vocabulary")
    bpe.byte_level = byte_level
    bpe.fuse_unk = fuse_unk
    bpe._affixes = b""
    bpe.affixes = bpe._affixes
    _fill_tables(bpe, vocabulary, merges)
    if byte_level:
        single = contents.single()
        bpe._map_bytes(vocabulary.symbols(list(single)), single)
    else:
        bpe._map_characters(vocabulary.characters(), "", "")
        if byte_fallback:
            names = [f"<0x{value:02X}>" for value in range(256)]
            bpe._map_fallback(vocabulary.symbols(names))
    if unk_token is not None:
        found = vocabulary.symbols([unk_token])
        bpe.unk_missing = not found
        bpe.unk = found.get(unk_token, <uint32_t>NONE)
    # No id is shared and no token is empty: the reader has seen to that.
    bpe.plain_scan = True
    _try_tokens(bpe, contents, ignore_merges)
    bpe._make_lanes()
    if byte_level:
        _begin_with_characters(bpe, contents)
        _find_wholes(bpe, contents)
    if bpe._only_its_text():
        bpe.cuts = _cuts(bpe, contents)
    elif bpe._unknown_is_apart():
        if fuse_unk:
            bpe.fusing = _cuts(bpe, contents)
        else:
            bpe.cuts = _cuts(bpe, contents)
    return bpe


cdef int _fill_tables(BPE bpe, Vocabulary vocabulary, Merges merges) except -1:
    cdef Py_ssize_t rank
    cdef const uint32_t *parts = merges.parts
    bpe.size = vocabulary.count
    bpe.ids = <uint32_t *>malloc(max(1, bpe.size) * sizeof(uint32_t))
    if bpe.ids == NULL:
        raise MemoryError()
    memcpy(bpe.ids, vocabulary.ids, bpe.size * sizeof(uint32_t))
    bpe._make_pairs(merges.count, merges.count)
    for rank in range(merges.count):
        bpe._put_pair(parts[3 * rank], parts[3 * rank + 1], <uint32_t>rank)
        bpe.merged[rank] = parts[3 * rank + 2]
    bpe._settle()
    return 0


cdef int _begin_with_characters(BPE bpe, Contents contents) except -1:
    cdef tc_parts parts
    cdef Py_ssize_t i
    if not tc_parts_init(&parts, bpe.size):
        raise MemoryError()
    try:
        for i in range(contents.count):
            if contents.has(i):
                tc_parts_note(&parts, <uint32_t>i, contents.blob + contents.starts[i],
                              contents.starts[i + 1] - contents.starts[i])
        bpe._settle_parts(&parts)
    finally:
        tc_parts_free(&parts)
    return 0


cdef int _find_wholes(BPE bpe, Contents contents) except -1:
    cdef const uint8_t[::1] sizes = bpe._wholes()
    cdef Py_ssize_t i, n
    for i in range(contents.count if bpe.wholes.tokens != NULL else 0):
        n = contents.starts[i + 1] - contents.starts[i]
        if sizes[i] and sizes[i] == n and contents.has(i):
            tc_wholes_add(&bpe.wholes, contents.blob + contents.starts[i], n, <uint32_t>i)
    return 0


cdef int _try_tokens(BPE bpe, Contents contents, bint ignore_merges) except -1:
    """Merge every token's text, to know what that makes of it; see BPE."""
    cdef Scratch w
    cdef tc_last_merges last
    cdef Py_ssize_t i
    cdef const uint8_t *blob = contents.blob
    cdef const uint32_t *starts = contents.starts
    cdef bint redundant = bpe._redundant()
    if not ignore_merges and not redundant:
        return 0
    exceptions = {}
    scratch_init(&w)
    try:
        if not tc_last_merges_init(&last, &bpe.pairs, bpe.merged, bpe.size, bpe.ranks):
            raise MemoryError()
        if bpe.plain_scan:
            for i in range(contents.count):
                if contents.has(i):
                    bpe._try_token(&last, <uint32_t>i, blob + starts[i],
                                   starts[i + 1] - starts[i], &w)
            if redundant:
                bpe._keep_last_merges(&last)
        if ignore_merges:
            for i in range(contents.count):
                if contents.has(i) and bpe._is_exception(
                        &last, <uint32_t>i, blob + starts[i], starts[i + 1] - starts[i], &w):
                    exceptions[i] = contents.bytes_of(i)
    finally:
        scratch_free(&w)
        tc_last_merges_free(&last)
    bpe.exceptions = len(exceptions)
    if exceptions:
        bpe.excepted = Spellings({i: i for i in exceptions}, exceptions)
    return 0


cdef Cuts _cuts(BPE bpe, Contents contents):
    """Exact cuts, from what merges can make and from the exceptions."""
    cdef bytearray marks = bytearray(max(1, bpe.size))
    cdef uint8_t *is_entry = marks
    cdef Py_ssize_t i, n, total = 0
    cdef uint64_t slot
    cdef uint32_t left, right, rank
    cdef const uint8_t *word
    cdef Cuts cuts = Cuts.__new__(Cuts)
    for slot in range(tc_pairs_slots(&bpe.pairs)):
        if tc_pair_at(&bpe.pairs, slot, &left, &right, &rank):
            is_entry[bpe.merged[rank]] = 1
    for i in range(contents.count):
        word = contents.blob + contents.starts[i]
        n = contents.starts[i + 1] - contents.starts[i]
        if not contents.has(i):
            is_entry[i] = 0
        elif bpe.exceptions and bpe.whole_word(word, n) != NONE:
            is_entry[i] = 1
        if is_entry[i]:
            total += n
    cuts._make_room(total)
    for i in range(contents.count):
        if is_entry[i]:
            cuts._add(contents.blob + contents.starts[i],
                      contents.starts[i + 1] - contents.starts[i])
    cuts.settle()
    return cuts
