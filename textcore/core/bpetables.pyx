# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A BPE model's tables as bytes, and a model again from such bytes, which are not trusted."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .bpe cimport (
    BPE, CharMap, TC_CHARACTERS, TC_WHOLES_A_LINE, TC_WHOLE_SYMBOLS, tc_pair_at, tc_pairs_fit,
    tc_pairs_slots, tc_whole, tc_whole_token,
)
from .cuts cimport Cuts
from .model cimport NONE
from .spellings cimport Spellings
from .tables cimport table_bytes, table_copy, table_fill


cdef Py_ssize_t _page_count(const CharMap *m) noexcept nogil:
    cdef Py_ssize_t i, last = 0
    for i in range(4352):
        last = max(last, <Py_ssize_t>m.index[i])
    return last + 1


def to_tables(BPE model not None):
    """What :func:`from_tables` makes the same model from: tables as bytes, by name.

    Numbers are little-endian, as this machine's have to be.
    """
    cdef Py_ssize_t slots = tc_pairs_slots(&model.pairs)
    cdef int i
    numbers = [model.size, model.ranks, model.fan_out, model.byte_level, model.fuse_unk,
               model.use_fallback, model.unk_missing, model.plain_scan, model.unk,
               model.prefix_size, model.suffix_size, model.exceptions,
               model.levels != NULL, *[model.map_of[i] for i in range(4)]]
    tables = {
        "numbers": b"".join([int(number).to_bytes(8, "little") for number in numbers]),
        "ids": table_bytes(model.ids, model.size * 4),
        "pair_entries": table_bytes(model.pairs.entries, slots * 8),
        "pair_ranks": table_bytes(model.pairs.ranks, slots * 4 if model.pairs.ranks != NULL else 0),
        "pair_factor": int(model.pairs.factor).to_bytes(8, "little"),
        "merged": table_bytes(model.merged, model.ranks * 4),
        "levels": table_bytes(model.levels, model.ranks * 4 if model.levels != NULL else 0),
        "byte_symbols": table_bytes(model.byte_symbols, 1024),
        "fallback": table_bytes(model.fallback, 1024),
        "affixes": model._affixes,
    }
    for i in range(4):
        if model.maps[i].pages != NULL:
            tables[f"map_index{i}"] = table_bytes(model.maps[i].index, sizeof(model.maps[i].index))
            tables[f"map_pages{i}"] = table_bytes(model.maps[i].pages, _page_count(&model.maps[i]) * 1024)
    if model.excepted is not None:
        tables |= model.excepted.tables()
    if model.cuts is not None:
        tables |= model.cuts.tables("cut")
    if model.fusing is not None:
        tables |= model.fusing.tables("fusing")
    if model.characters.whole != NULL:
        tables["characters"] = table_bytes(model.characters.whole, TC_CHARACTERS * 8)
        tables["across"] = table_bytes(model.characters.across, 65536 * 4)
    if model.wholes.tokens != NULL:
        tables["wholes"] = table_bytes(model.wholes.tokens, (model.wholes.mask + 1) * 64)
    return tables


def from_tables(dict tables not None):
    """A model from its tables: bytes or buffers of them, which are copied.

    Raises ValueError where they don't fit together: no table can make a model that
    reads outside of its memory.
    """
    cdef BPE model = BPE.__new__(BPE)
    _restore(model, tables)
    return model


cdef int _restore(BPE model, dict tables) except -1:
    cdef Py_ssize_t i
    cdef int which
    numbers = bytes(tables["numbers"])
    if len(numbers) != 17 * 8:
        raise ValueError("numbers: a wrong size")
    values = [int.from_bytes(numbers[at:at + 8], "little") for at in range(0, len(numbers), 8)]
    if max(values) > 0xFFFFFFFF:
        raise ValueError("numbers: out of range")
    (model.size, model.ranks, model.fan_out, model.byte_level, model.fuse_unk, model.use_fallback,
     model.unk_missing, model.plain_scan, model.unk, model.prefix_size, model.suffix_size,
     model.exceptions, has_levels) = values[:13]
    model._affixes = bytes(tables["affixes"])
    model.affixes = model._affixes
    if (len(model._affixes) != model.prefix_size + model.suffix_size
            or model.fan_out != (1 + len(model._affixes) if model.use_fallback else 1)):
        raise ValueError("affixes: a wrong size")
    model.ids = <uint32_t *>table_copy(tables, "ids", model.size, 4)
    for i in range(model.size):
        if model.ids[i] >= 0x80000000 or (i and model.ids[i] <= model.ids[i - 1]):
            raise ValueError(f"ids[{i}]: {model.ids[i]} is out of order")
    model.merged = <uint32_t *>table_copy(tables, "merged", model.ranks, 4)
    _below("merged", model.merged, model.ranks, model.size)
    model._settle()
    if has_levels:
        model.levels = <uint32_t *>table_copy(tables, "levels", model.ranks, 4)
    _restore_pairs(model, tables)
    _check_pairs(model)
    table_fill(tables, "byte_symbols", model.byte_symbols, 1024)
    table_fill(tables, "fallback", model.fallback, 1024)
    _below("byte_symbols", model.byte_symbols, 256, model.size)
    _below("fallback", model.fallback, 256, model.size)
    _below("unk", &model.unk, 1, model.size)
    model._make_lanes()
    if "characters" in tables:
        _restore_characters(model, tables)
    if "wholes" in tables:
        _restore_wholes(model, tables)
    for which in range(4):
        _restore_map(model, tables, which, values[13 + which])
    if model.exceptions:
        if "word_slots" not in tables:
            raise ValueError("exceptions: missing")
        model.excepted = Spellings.restore(tables, model.size)
    if "cut_parts" in tables:
        model.cuts = Cuts.restore(tables, "cut")
    if "fusing_parts" in tables:
        if model.unk == NONE:
            raise ValueError("fusing_parts: without an unknown token")
        model.fusing = Cuts.restore(tables, "fusing")
    return 0


cdef int _below(str name, const uint32_t *values, Py_ssize_t count, Py_ssize_t limit) except -1:
    """Every value is NONE or below ``limit``."""
    cdef Py_ssize_t i
    for i in range(count):
        if values[i] != NONE and values[i] >= <uint64_t>limit:
            raise ValueError(f"{name}[{i}]: {values[i]} of {limit}")
    return 0


cdef int _restore_pairs(BPE model, dict tables) except -1:
    cdef Py_ssize_t slots = len(tables["pair_entries"]) // 8
    cdef uint64_t factor = int.from_bytes(bytes(tables["pair_factor"])[:8], "little")
    if slots < 16 or slots & (slots - 1) or slots > 1 << 32:
        raise ValueError("pair_entries: a wrong size")
    tc_pairs_fit(&model.pairs, slots // 2, factor, model.size, model.ranks)
    model.pairs.entries = <uint64_t *>table_copy(tables, "pair_entries", slots, 8)
    if model.pairs.rank_bits == 0:
        model.pairs.ranks = <uint32_t *>table_copy(tables, "pair_ranks", slots, 4)
    return 0


cdef int _check_pairs(BPE model) except -1:
    """Ranks in range, and symbols made."""
    cdef uint64_t slot
    cdef uint32_t left, right, rank
    for slot in range(tc_pairs_slots(&model.pairs)):
        if not tc_pair_at(&model.pairs, slot, &left, &right, &rank):
            continue
        if rank >= <uint64_t>model.ranks or model.merged[rank] == NONE:
            raise ValueError(f"pair_entries[{slot}]: rank {rank} of {model.ranks}")
    return 0


cdef int _restore_characters(BPE model, dict tables) except -1:
    cdef Py_ssize_t i
    cdef uint32_t symbol
    if not model.plain_scan or not model.byte_level:
        raise ValueError("characters: in a model that does not begin with any")
    model.characters.whole = <tc_whole *>table_copy(tables, "characters", TC_CHARACTERS, 8)
    model.characters.across = <uint32_t *>table_copy(tables, "across", 65536, 4)
    for i in range(TC_CHARACTERS):
        symbol = model.characters.whole[i].symbol
        if symbol != NONE and symbol >= <uint64_t>model.size:
            raise ValueError(f"characters[{i}]: {symbol} of {model.size}")
    return 0


cdef int _restore_wholes(BPE model, dict tables) except -1:
    cdef Py_ssize_t places = len(tables["wholes"]) // 16, i
    cdef uint64_t upper
    if places < 16 or places & (places - 1):
        raise ValueError("wholes: a wrong size")
    model.wholes.tokens = <tc_whole_token *>table_copy(tables, "wholes", places, 16)
    model.wholes.mask = places // TC_WHOLES_A_LINE - 1
    for i in range(places):
        upper = model.wholes.tokens[i].high >> 32
        if upper >> 28 and upper & (TC_WHOLE_SYMBOLS - 1) >= <uint64_t>model.size:
            raise ValueError(f"wholes[{i}]: out of range")
    return 0


cdef int _restore_map(BPE model, dict tables, int which, int served) except -1:
    cdef Py_ssize_t pages, i
    if not model.byte_level and not (0 <= served <= which):
        raise ValueError(f"map_of[{which}]: {served}")
    model.map_of[which] = served
    if f"map_pages{which}" not in tables:
        if not model.byte_level and served == which:
            raise ValueError(f"map_pages{which}: missing")
        return 0
    pages = len(tables[f"map_pages{which}"]) // 1024
    table_fill(tables, f"map_index{which}", model.maps[which].index, sizeof(model.maps[which].index))
    for i in range(4352):
        if model.maps[which].index[i] >= pages:
            raise ValueError(f"map_index{which}[{i}]: {model.maps[which].index[i]} of {pages}")
    model.maps[which].pages = <uint32_t *>table_copy(tables, f"map_pages{which}", pages, 1024)
    _below(f"map_pages{which}", model.maps[which].pages, pages * 256, model.size)
    return 0
