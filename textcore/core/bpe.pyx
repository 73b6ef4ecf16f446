# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Byte-pair encoding: the merge of the least rank first, of equal ones the leftmost.

A word's symbols stand in a linked list and its merges in a priority queue ordered by (rank,
position): O(n log n) for n symbols. Wherever every token has an id of its own, a scan for the
best pair (short words) and a tree of minima (long ones) give the same symbols and take their
place.

Sources: Sennrich et al. 2016 (arXiv:1508.07909) for BPE; the behaviour of Hugging Face
``tokenizers``' BPE model for everything around it (unknown characters, byte fallback,
prefixes and suffixes, stale queue entries).
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from .codepoint cimport code_point
from .cuts cimport Cuts
from .model cimport (
    NO_MEMORY, NO_UNK, NONE, Scratch, WordModel, scratch_free, scratch_init, tc_candidate, tc_queue,
    tc_queue_clear, tc_queue_pop, tc_queue_push,
    scratch_reserve, scratch_reserve_orders,
)
from .spellings cimport Spellings
from .units cimport TC_BATCH, tc_batch, tc_passes, tc_passes_of
from .words cimport KEY_LIMIT, WordCache, tc_find_line, tc_line, tc_line_count, tc_load_key

cdef extern from "mixing.h" nogil:
    bint TC_LIKELY(bint x)

cdef extern from "pages.h" nogil:
    void tc_touch(const void *memory, size_t size)

cdef extern from "lanes.h" nogil:
    tc_merge_words tc_merge_words_of(int level)
    uint32_t tc_look(const tc_pairs *pairs, uint32_t left, uint32_t right)

cdef extern from "merging.h" nogil:
    enum: TC_SHORT_WORD
    uint32_t TC_SHORT_RANKS
    Py_ssize_t tc_merge_short(const tc_pairs *pairs, const uint32_t *merged, uint32_t first,
                              uint32_t *symbols, uint32_t *lengths, Py_ssize_t n,
                              uint32_t *last)

cdef extern from "minima.h" nogil:
    enum: TC_FAN
    int32_t TC_NO_WAIT
    Py_ssize_t tc_merge_long(const tc_pairs *pairs, const uint32_t *merged, uint32_t first,
                             const uint32_t *byte_pairs, const uint8_t *text,
                             uint32_t *symbols, uint32_t *lengths, int32_t *leaves,
                             int32_t *rest, Py_ssize_t n)

cdef extern from "sorted.h" nogil:
    enum: TC_SORTED_WORD
    enum: TC_SORTED_ROOM
    Py_ssize_t tc_merge_sorted(const tc_pairs *pairs, const uint32_t *merged, uint32_t first,
                               const uint32_t *byte_pairs, const uint8_t *text,
                               uint32_t *symbols, uint32_t *lengths, int32_t *previous,
                               int32_t *following, uint64_t *room, Py_ssize_t n)

cdef extern from "runs.h" nogil:
    ctypedef struct tc_run:
        pass
    bint tc_has_runs(const uint32_t *symbols, Py_ssize_t n)
    Py_ssize_t tc_runs_room(Py_ssize_t n)
    Py_ssize_t tc_merge_runs(const tc_pairs *pairs, const uint32_t *merged, uint32_t first,
                             tc_queue *queue, void *room, uint32_t *symbols, uint32_t *lengths,
                             Py_ssize_t n, int *done)

cdef enum:
    # The longest token that neighbours are joined to.
    JOIN_LIMIT = 2048
    # Words of which the first symbols are found at once.
    SPLIT_WORDS = 32


# ---------------------------------------------------------------- characters to symbols

cdef uint32_t _map_get(const CharMap *m, uint32_t c) noexcept nogil:
    return m.pages[(<uint32_t>m.index[c >> 8] << 8) | (c & 255)]


cdef int _map_build(CharMap *m, dict entries) except -1:
    """Fill a map from {code point: symbol}. Page 0 is the shared empty one."""
    cdef uint32_t c, symbol
    pages = sorted({code >> 8 for code in entries})
    m.pages = <uint32_t *>malloc((len(pages) + 1) * 256 * sizeof(uint32_t))
    if m.pages == NULL:
        raise MemoryError()
    memset(m.pages, 0xFF, (len(pages) + 1) * 256 * sizeof(uint32_t))
    memset(m.index, 0, sizeof(m.index))
    for number, page in enumerate(pages):
        m.index[<int>page] = <uint16_t>(number + 1)
    for code, value in entries.items():
        c = code
        symbol = value
        m.pages[(<uint32_t>m.index[c >> 8] << 8) | (c & 255)] = symbol
    return 0


# ---------------------------------------------------------------- building

class MergeError(ValueError):
    """A merge that can't be used: ``index`` is its place in the list."""

    def __init__(self, index, problem):
        super().__init__(f"merges[{index}]: {problem}")
        self.index = index
        self.problem = problem


def _merge_parts(object merge, Py_ssize_t index, bint spaced):
    """The two halves of one merge, in the spelling that its list uses."""
    if spaced:
        if not isinstance(merge, str):
            raise MergeError(index, "expected a string like the first merge")
        parts = merge.split(" ")
        if len(parts) != 2:
            raise MergeError(index, f"{_short(merge)} is not two tokens with one space between")
        return parts
    if (not isinstance(merge, (list, tuple)) or len(merge) != 2
            or not isinstance(merge[0], str) or not isinstance(merge[1], str)):
        raise MergeError(index, "expected a list of two strings like the first merge")
    return merge


def _short(text):
    return repr(text if len(text) <= 40 else text[:39] + "…")


cdef class BPE(WordModel):
    """A BPE model over bytes (``byte_level``) or characters; immutable once made.

    Parameters
    ----------
    vocab : dict of str to int
        Token to id. Ids are in [0, 2**31), in any order, with or without gaps; tokens that
        share an id are one symbol.
    contents : dict of str to bytes, or None
        For a byte-level model: what each token stands for, in bytes. A token that is not in
        it can't come from text. None makes a model over characters.
    merges : list
        Pairs in order of rank: ``"a b"`` throughout, or ``["a", "b"]`` throughout.
    joins : list of str, or None
        Instead of ``merges`` (then empty): tokens in order of rank. Any two neighbours that
        are among them and together spell one of them merge, whichever two they are, as in
        tiktoken and SentencePiece.
    levels : list of int, or None
        Where tokens of ``joins`` share a rank: the rank of each, rising.
    unk_token, fuse_unk, byte_fallback, ignore_merges
        As in a tokenizer.json; ``unk_token`` may be missing from the vocabulary, which is an
        error only when it is needed.
    prefix, suffix : str
        ``continuing_subword_prefix`` and ``end_of_word_suffix``; "" for none.

    Raises
    ------
    MergeError
        A merge of tokens that the vocabulary lacks, or in neither spelling; a token of
        ``joins`` of more than 2048 bytes (the work a token grows with its square).
    """

    def __cinit__(self):
        memset(self.byte_symbols, 0xFF, sizeof(self.byte_symbols))
        memset(self.fallback, 0xFF, sizeof(self.fallback))

    def __init__(self, dict vocab not None, dict contents, list merges not None, *,
                 str unk_token=None, bint fuse_unk=False, bint byte_fallback=False,
                 bint ignore_merges=False, str prefix="", str suffix="",
                 list joins=None, list levels=None):
        if self.ids != NULL:
            raise RuntimeError("BPE is built once")
        self.byte_level = contents is not None
        self.fuse_unk = fuse_unk
        self._affixes = prefix.encode() + suffix.encode()
        self.affixes = self._affixes
        self.prefix_size = len(prefix.encode())
        self.suffix_size = len(self._affixes) - self.prefix_size
        self.fan_out = 1 + len(self._affixes) if byte_fallback else 1
        symbols = self._number(vocab)
        if joins is None:
            self._add_merges(symbols, merges, prefix)
        else:
            if merges or prefix or suffix:
                raise ValueError("joins take no merges, prefix or suffix beside them")
            self._add_joins(symbols, contents, joins, levels)
        if self.byte_level:
            self._map_bytes(symbols, contents)
        else:
            self._map_characters(symbols, prefix, suffix)
            if byte_fallback:
                self._map_fallback(symbols)
        if unk_token is not None:
            self.unk_missing = unk_token not in symbols
            self.unk = symbols.get(unk_token, <uint32_t>NONE)
        self._settle()
        # With ids shared, or symbols that are not their own text, an expired queue entry
        # can still apply: only the queue itself reproduces that.
        self.plain_scan = (self.size == len(vocab) and not prefix and "" not in vocab
                           and self.levels == NULL)
        self._try_tokens(symbols, contents, ignore_merges)
        self._make_lanes()
        self._begin_with_characters(symbols, contents)
        self._find_wholes(symbols, contents)
        if (self.plain_scan or self.levels != NULL) and not suffix:
            if self._only_its_text():
                self.cuts = self._cuts(symbols, contents)
            elif self._unknown_is_apart():
                if fuse_unk:
                    self.fusing = self._cuts(symbols, contents)
                else:
                    self.cuts = self._cuts(symbols, contents)

    def __dealloc__(self):
        cdef int i
        tc_pairs_free(&self.pairs)
        free(self.merged)
        free(self.levels)
        free(self.byte_pairs)
        tc_characters_free(&self.characters)
        tc_wholes_free(&self.wholes)
        for i in range(4):
            free(self.maps[i].pages)

    cdef dict _number(self, dict vocab):
        """Give every distinct id a symbol, 0 upwards in the order of ids."""
        cdef Py_ssize_t i
        ordered = sorted(set(vocab.values()))
        self.size = len(ordered)
        self.ids = <uint32_t *>malloc(max(1, self.size) * sizeof(uint32_t))
        if self.ids == NULL:
            raise MemoryError()
        for i in range(self.size):
            self.ids[i] = ordered[i]
        if self.size == 0 or ordered[self.size - 1] == self.size - 1:
            return vocab
        number = {token_id: symbol for symbol, token_id in enumerate(ordered)}
        return {token: number[token_id] for token, token_id in vocab.items()}

    cdef int _add_merges(self, dict symbols, list merges, str prefix) except -1:
        """The pair table; a later duplicate wins."""
        cdef Py_ssize_t index = 0, count = len(merges), position
        cdef bint spaced = count > 0 and isinstance(merges[0], str)
        cdef bytes right_bytes
        cdef Py_ssize_t cut = self.prefix_size
        cdef uint32_t left, right
        self._make_pairs(count, count)
        for position in range(count):
            merge = merges[position]
            if spaced and isinstance(merge, str) and merge.startswith("#version"):
                continue
            first, second = _merge_parts(merge, position, spaced)
            if first not in symbols:
                raise MergeError(position, f"{_short(first)} is not in the vocabulary")
            if second not in symbols:
                raise MergeError(position, f"{_short(second)} is not in the vocabulary")
            if cut:
                right_bytes = second.encode()
                try:
                    made = first + right_bytes[cut:].decode()
                except UnicodeDecodeError:
                    made = None
                if len(right_bytes) < cut or made is None:
                    raise MergeError(position, f"{_short(second)} lacks the prefix {prefix!r}")
            else:
                made = first + second
            if made not in symbols:
                raise MergeError(position, f"it makes {_short(made)}, not in the vocabulary")
            left = symbols[first]
            right = symbols[second]
            self.merged[index] = symbols[made]
            self._put_pair(left, right, <uint32_t>index)
            index += 1
        return 0

    cdef void _settle(self) noexcept nogil:
        """Find out whether the ranks make symbols in order, one after the other."""
        cdef Py_ssize_t rank
        self.in_order = 1
        for rank in range(self.ranks):
            if self.merged[rank] != self.merged[0] + <uint64_t>rank:
                self.in_order = 0
                break

    cdef int _put_pair(self, uint32_t left, uint32_t right, uint32_t rank) except -1:
        if not tc_pair_put(&self.pairs, left, right, rank):
            raise MemoryError("the pairs fit into no table")
        return 0

    cdef int _make_lanes(self) except -1:
        """Make ready to merge short words side by side, where merging is plain enough."""
        cdef uint32_t left, right
        self.in_lanes = (self.plain_scan and self.ranks < TC_SHORT_RANKS
                         and self.pairs.rank_bits != 0)
        if not self.in_lanes or not self.byte_level:
            return 0
        for left in range(256):
            if self.byte_symbols[left] == NONE:
                self.in_lanes = 0
                return 0
        self.byte_pairs = <uint32_t *>malloc(256 * 256 * sizeof(uint32_t))
        if self.byte_pairs == NULL:
            raise MemoryError()
        for left in range(256):
            for right in range(256):
                self.byte_pairs[left << 8 | right] = tc_look(
                    &self.pairs, self.byte_symbols[left], self.byte_symbols[right])
        return 0

    cdef int _begin_with_characters(self, dict symbols, dict contents) except -1:
        cdef tc_parts parts
        cdef bytes content
        if not self.plain_scan or not self.byte_level:
            return 0
        if not tc_parts_init(&parts, self.size):
            raise MemoryError()
        try:
            for token, content in contents.items():
                tc_parts_note(&parts, symbols[token], content, len(content))
            self._settle_parts(&parts)
        finally:
            tc_parts_free(&parts)
        return 0

    cdef int _settle_parts(self, tc_parts *parts) except -1:
        """Begin with the characters that may be taken whole, if there are any."""
        if tc_parts_settle(parts, &self.pairs, self.merged, self.byte_symbols) > 0:
            self.characters = parts.made
            memset(&parts.made, 0, sizeof(tc_characters))
        return 0

    cdef bytearray _wholes(self):
        """The size in bytes of each symbol that a word may be by itself, else 0."""
        cdef bytearray found = bytearray(self.size)
        if (self.byte_pairs == NULL or self.size >= <Py_ssize_t>TC_WHOLE_SYMBOLS):
            return found
        if not (tc_wholes_init(&self.wholes, tc_wholes_places(self.size))
                and tc_find_wholes(&self.pairs, self.merged, self.ranks, self.size,
                                   self.byte_symbols, self.pruned, found)):
            raise MemoryError()
        return found

    cdef int _find_wholes(self, dict symbols, dict contents) except -1:
        cdef const uint8_t[::1] sizes = self._wholes()
        cdef bytes content
        cdef uint32_t symbol
        for token, content in contents.items() if self.wholes.tokens != NULL else ():
            symbol = symbols[token]
            if sizes[symbol] and sizes[symbol] == len(content):
                tc_wholes_add(&self.wholes, content, len(content), symbol)
        return 0

    cdef int _make_pairs(self, Py_ssize_t pairs, Py_ssize_t ranks) except -1:
        """An empty table with room for so many pairs, and for what each rank makes."""
        self.ranks = ranks
        self.given = pairs
        self.merged = <uint32_t *>calloc(max(1, ranks), sizeof(uint32_t))
        if self.merged == NULL or not tc_pairs_init(&self.pairs, pairs, self.size, ranks):
            raise MemoryError()
        return 0

    cdef int _add_joins(self, dict symbols, dict contents, list joins, list levels) except -1:
        """Every pair of tokens that spells a token, with that token's rank."""
        cdef Py_ssize_t count = len(joins), total = 0, n, rank, at, found = 0
        cdef uint32_t left, right
        cdef const uint8_t *text
        cdef bytes word
        cdef uint32_t *pairs
        cdef Spellings spellings
        words = {}
        for rank in range(count):
            token = joins[rank]
            word = token.encode() if contents is None else contents[token]
            n = len(word)
            if n > JOIN_LIMIT:
                raise MergeError(rank, f"a token of {n} bytes; at most {JOIN_LIMIT} are supported")
            words[token] = word
            total += n
        if len(words) != count:
            raise MergeError(0, "a token is there twice")
        if levels is not None:
            self._set_levels(levels, count)
        # As many splits as there are bytes, at most: three numbers for each.
        pairs = <uint32_t *>malloc(max(1, total) * 3 * sizeof(uint32_t))
        if pairs == NULL:
            raise MemoryError()
        try:
            spellings = Spellings(symbols, words)
            rank = 0
            for word in words.values():
                text = word
                n = len(word)
                for at in range(1, n):
                    left = spellings.find(text, at)
                    if left == NONE:
                        continue
                    right = spellings.find(text + at, n - at)
                    if right != NONE:
                        pairs[3 * found] = left
                        pairs[3 * found + 1] = right
                        pairs[3 * found + 2] = <uint32_t>rank
                        found += 1
                rank += 1
            self._make_pairs(found, count)
            for at in range(found):
                self._put_pair(pairs[3 * at], pairs[3 * at + 1], pairs[3 * at + 2])
            for rank in range(count):
                self.merged[rank] = symbols[joins[rank]]
        finally:
            free(pairs)
        return 0

    cdef int _set_levels(self, list levels, Py_ssize_t count) except -1:
        cdef Py_ssize_t rank
        if len(levels) != count:
            raise ValueError("levels and joins differ in length")
        self.levels = <uint32_t *>malloc(max(1, count) * sizeof(uint32_t))
        if self.levels == NULL:
            raise MemoryError()
        for rank in range(count):
            self.levels[rank] = levels[rank]
        return 0

    cdef int _map_bytes(self, dict symbols, dict contents) except -1:
        cdef bytes content
        for token, content in contents.items():
            if len(content) == 1:
                self.byte_symbols[<uint8_t>content[0]] = symbols[token]
        return 0

    cdef int _map_characters(self, dict symbols, str prefix, str suffix) except -1:
        """Symbols of single characters: alone, first, inside, last in a word.

        Map 0 is for a bare character, 1 with the prefix, 2 with the suffix, 3 with both; a
        map that would repeat another is not built (``map_of`` says which serves instead).
        """
        cdef int which
        affixes = [("", ""), (prefix, ""), ("", suffix), (prefix, suffix)]
        for which in range(4):
            before, after = affixes[which]
            same = affixes.index((before, after))
            self.map_of[which] = same
            if same != which:
                continue
            length = len(before) + 1 + len(after)
            _map_build(&self.maps[which], {
                ord(token[len(before)]): symbol for token, symbol in symbols.items()
                if len(token) == length and token.startswith(before) and token.endswith(after)
            })
        return 0

    cdef int _map_fallback(self, dict symbols) except -1:
        cdef int value
        self.use_fallback = True
        for value in range(256):
            self.fallback[value] = symbols.get(f"<0x{value:02X}>", <uint32_t>NONE)
        return 0

    cdef bint _redundant(self):
        """Whether there are so many merges that most can't ever be applied."""
        return (self.plain_scan and self.suffix_size == 0
                and self.given > self.size + (self.size >> 3) and self._spells_text())

    cdef bint _spells_text(self):
        """Whether a symbol that a merge makes has come of its own text only."""
        return self.byte_level or self._only_its_text() or self._unknown_is_apart()

    cdef int _keep_last_merges(self, const tc_last_merges *last) except -1:
        """Drop the merges that can't be applied; see ``lastmerges.h``."""
        cdef tc_pairs pairs
        cdef uint32_t *merged
        cdef Py_ssize_t kept = tc_keep_last(last, &pairs, &merged)
        if kept < 0:
            raise MemoryError()
        tc_pairs_free(&self.pairs)
        free(self.merged)
        self.pairs = pairs
        self.merged = merged
        self.ranks = kept
        self.pruned = True
        self._settle()
        return 0

    cdef int _try_token(self, tc_last_merges *last, uint32_t symbol, const uint8_t *word,
                        Py_ssize_t n, Scratch *w) except -1:
        """Merge a token's text, and note what that makes and by which merge."""
        cdef Py_ssize_t count = self.split(word, n, w)
        w.last[0] = w.last[1] = NONE
        if 0 < count <= TC_SHORT_WORD and self.ranks < TC_SHORT_RANKS:
            count = tc_merge_short(&self.pairs, self.merged, 0, w.symbols, w.lengths, count,
                                   w.last)
        elif count > 0:
            count = self._merge_by_queue(w, count)
        if count == NO_MEMORY:
            raise MemoryError()
        tc_note_token(last, symbol, count, w.symbols[0] if count > 0 else NONE, w.last)
        return 0

    cdef bint _is_exception(self, const tc_last_merges *last, uint32_t symbol,
                            const uint8_t *word, Py_ssize_t n, Scratch *w) except -1:
        """Whether merging does not give a token back."""
        cdef Py_ssize_t count
        if last.tokens[symbol] != TC_UNKNOWN_TOKEN:
            return last.tokens[symbol] != TC_GIVEN_BACK
        count = self.encode(word, n, w, 0)
        if count == NO_MEMORY:
            raise MemoryError()
        return count != 1 or w.symbols[0] != symbol

    cdef int _try_tokens(self, dict symbols, dict contents, bint ignore_merges) except -1:
        """Merge every token's text, to know what that makes of it.

        So merges are found that can't be applied, and, for ``ignore_merges``, the words of the
        vocabulary that merging does not give back: all others come out the same either way, so
        that a word in the vocabulary needs a look-up of its own only if it is among these.
        """
        cdef Scratch w
        cdef tc_last_merges last
        cdef bytes word
        cdef bint redundant = self._redundant()
        if not ignore_merges and not redundant:
            return 0
        words = contents if contents is not None else {t: t.encode() for t in symbols}
        exceptions = {}
        scratch_init(&w)
        try:
            if not tc_last_merges_init(&last, &self.pairs, self.merged, self.size, self.ranks):
                raise MemoryError()
            if self.plain_scan:
                for token, word in words.items():
                    self._try_token(&last, symbols[token], word, len(word), &w)
                if redundant:
                    self._keep_last_merges(&last)
            if ignore_merges:
                for token, word in words.items():
                    if self._is_exception(&last, symbols[token], word, len(word), &w):
                        exceptions[token] = word
        finally:
            scratch_free(&w)
            tc_last_merges_free(&last)
        self.exceptions = len(exceptions)
        if exceptions:
            self.excepted = Spellings(symbols, exceptions)
        return 0

    cdef bint _only_its_text(self):
        """Whether every text becomes symbols that stand for its own bytes or characters."""
        cdef int value
        cdef uint64_t slot
        cdef uint32_t left, right, rank
        cdef bytearray marks = bytearray(self.size)
        cdef uint8_t *is_name = marks
        for value in range(256):
            if (self.byte_symbols[value] if self.byte_level else self.fallback[value]) == NONE:
                return 0
        if self.byte_level:
            return 1
        # A byte's token spells its name, not its byte: it must not take part in merges.
        for value in range(256):
            is_name[self.fallback[value]] = 1
        for slot in range(tc_pairs_slots(&self.pairs)):
            if (tc_pair_at(&self.pairs, slot, &left, &right, &rank)
                    and (is_name[left] or is_name[right])):
                return 0
        return 1

    cdef bint _unknown_is_apart(self):
        """Whether characters are tokens of their own, or the unknown one that never merges."""
        cdef uint64_t slot
        cdef uint32_t left, right, rank
        if self.byte_level or self.use_fallback or self.unk == NONE:
            return 0
        for slot in range(tc_pairs_slots(&self.pairs)):
            if (tc_pair_at(&self.pairs, slot, &left, &right, &rank)
                    and (self.unk == left or self.unk == right or self.unk == self.merged[rank])):
                return 0
        return 1

    cdef Cuts _cuts(self, dict symbols, dict contents):
        """Exact cuts, from what merges can make and from the exceptions."""
        cdef bytearray made = bytearray(max(1, self.size))
        cdef uint64_t slot
        cdef uint32_t symbol, left, right, rank
        cdef bytes word
        for slot in range(tc_pairs_slots(&self.pairs)):
            if tc_pair_at(&self.pairs, slot, &left, &right, &rank):
                made[self.merged[rank]] = 1
        entries = []
        words = contents if contents is not None else {t: t.encode() for t in symbols}
        for token, word in words.items():
            symbol = symbols[token]
            if made[symbol] or (self.exceptions and self.whole_word(word, len(word)) != NONE):
                entries.append(word)
        return Cuts(entries)

    # ------------------------------------------------------------ encoding a word

    cdef uint32_t whole_word(self, const uint8_t *text, Py_ssize_t n) noexcept nogil:
        """The symbol of an exception of ignore_merges, or NONE."""
        return self.excepted.find(text, n) if self.exceptions else <uint32_t>NONE

    cdef Py_ssize_t split(self, const uint8_t *text, Py_ssize_t n, Scratch *w) noexcept nogil:
        """A word's first symbols into ``w``: how many, or NO_MEMORY, NO_UNK."""
        cdef Py_ssize_t i, count = 0
        cdef uint32_t symbol
        if not scratch_reserve(w, max(n * self.fan_out, 128) + TC_FAN):
            return NO_MEMORY
        if not self.byte_level:
            return self._split_characters(text, n, w)
        if self.characters.whole != NULL:
            return tc_first_symbols(&self.characters, self.byte_symbols, text, n, w.symbols,
                                    w.lengths)
        for i in range(n):
            symbol = self.byte_symbols[text[i]]
            if TC_LIKELY(symbol != NONE):
                w.symbols[count] = symbol
                w.lengths[count] = 1
                count += 1
        return count

    cdef Py_ssize_t _split_characters(self, const uint8_t *text, Py_ssize_t n,
                                      Scratch *w) noexcept nogil:
        cdef Py_ssize_t at = 0, count = 0, unk_length = 0
        cdef uint32_t c, symbol
        cdef int width, which
        while at < n:
            c = code_point(text + at, &width)
            which = (at > 0) | ((at + width == n) << 1)
            symbol = _map_get(&self.maps[self.map_of[which]], c)
            if TC_LIKELY(symbol != NONE):
                if unk_length:
                    w.symbols[count] = self.unk
                    w.lengths[count] = <uint32_t>unk_length
                    count += 1
                    unk_length = 0
                w.symbols[count] = symbol
                w.lengths[count] = width
                count += 1
            elif self.use_fallback and self._fall_back(text + at, width, which, w, &count):
                # The reference does not flush a waiting unknown token here; nor do we.
                pass
            elif self.unk_missing:
                return NO_UNK
            elif self.unk != NONE:
                if unk_length and not self.fuse_unk:
                    w.symbols[count] = self.unk
                    w.lengths[count] = <uint32_t>unk_length
                    count += 1
                    unk_length = 0
                unk_length += width
            at += width
        if unk_length:
            w.symbols[count] = self.unk
            w.lengths[count] = <uint32_t>unk_length
            count += 1
        return count

    cdef bint _fall_back(self, const uint8_t *s, int width, int which, Scratch *w,
                         Py_ssize_t *count) noexcept nogil:
        """One character as its bytes' tokens, affixes included, if all of them exist."""
        cdef Py_ssize_t at = count[0]
        if which & 1 and not self._bytes_of(self.affixes, self.prefix_size, w, &at):
            return 0
        if not self._bytes_of(s, width, w, &at):
            return 0
        if which & 2 and not self._bytes_of(self.affixes + self.prefix_size, self.suffix_size, w, &at):
            return 0
        count[0] = at
        return 1

    cdef bint _bytes_of(self, const uint8_t *s, Py_ssize_t n, Scratch *w,
                        Py_ssize_t *at) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(n):
            if self.fallback[s[i]] == NONE:
                return 0
            w.symbols[at[0]] = self.fallback[s[i]]
            w.lengths[at[0]] = 1
            at[0] += 1
        return 1

    cdef Py_ssize_t merge(self, const uint8_t *text, Scratch *w, Py_ssize_t n) noexcept nogil:
        """Apply all merges to the first ``n`` symbols of ``w``: how many are left.

        ``text`` is what they stand for, if they are bytes, or NULL.
        """
        if n < 2:
            return n
        if self.plain_scan and n <= TC_SHORT_WORD and self.ranks < TC_SHORT_RANKS:
            return tc_merge_short(&self.pairs, NULL if self.in_order else self.merged,
                                  self.merged[0], w.symbols, w.lengths, n, NULL)
        if not self.plain_scan or self.ranks >= TC_NO_WAIT:
            return self._merge_by_queue(w, n)
        if tc_has_runs(w.symbols, n):
            return self._merge_runs(text, w, n)
        return self._merge_long(text, w, n)

    cdef Py_ssize_t _merge_runs(self, const uint8_t *text, Scratch *w,
                                Py_ssize_t n) noexcept nogil:
        """The same for a word in which symbols are repeated."""
        cdef int done = 0
        cdef Py_ssize_t left = n
        if scratch_reserve_orders(w, tc_runs_room(n) * <Py_ssize_t>(sizeof(tc_run) // 8)):
            left = tc_merge_runs(&self.pairs, NULL if self.in_order else self.merged,
                                 self.merged[0], &w.queue, w.orders, w.symbols, w.lengths, n,
                                 &done)
        # Two symbols are the least that the others take.
        if done or left < 2:
            return left
        return self._merge_long(text if left == n else NULL, w, left)

    cdef Py_ssize_t _merge_long(self, const uint8_t *text, Scratch *w,
                                Py_ssize_t n) noexcept nogil:
        """The same for a word of many symbols that come as they may."""
        cdef const uint32_t *merged = NULL if self.in_order else self.merged
        cdef const uint32_t *byte_pairs = self.byte_pairs if text != NULL else NULL
        if n <= TC_SORTED_WORD and scratch_reserve_orders(w, TC_SORTED_ROOM * n):
            return tc_merge_sorted(&self.pairs, merged, self.merged[0], byte_pairs, text,
                                   w.symbols, w.lengths, w.previous, w.following, w.orders, n)
        return tc_merge_long(&self.pairs, merged, self.merged[0], byte_pairs, text, w.symbols,
                             w.lengths, w.previous, w.following, n)

    cdef bint _push(self, Scratch *w, Py_ssize_t left, Py_ssize_t right) noexcept nogil:
        """Queue the merge of two neighbours, if there is one; 0 where memory ends."""
        cdef uint32_t rank = tc_pair_rank(&self.pairs, w.symbols[left], w.symbols[right])
        cdef uint64_t order
        if rank == NONE:
            return 1
        order = rank if self.levels == NULL else self.levels[rank]
        return tc_queue_push(&w.queue, (order << 32) | <uint64_t>left, self.merged[rank])

    cdef Py_ssize_t _merge_by_queue(self, Scratch *w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t i, at, right, count
        cdef tc_candidate top
        cdef uint32_t rank
        tc_queue_clear(&w.queue)
        for i in range(n):
            w.previous[i] = <int32_t>(i - 1)
            w.following[i] = <int32_t>(i + 1) if i + 1 < n else -1
            if i + 1 < n and not self._push(w, i, i + 1):
                return NO_MEMORY
        while tc_queue_pop(&w.queue, &top):
            at = <uint32_t>top.order
            if w.lengths[at] == 0 or w.following[at] < 0:
                continue
            right = w.following[at]
            # An entry is stale when the pair that stands here now makes something else.
            rank = tc_pair_rank(&self.pairs, w.symbols[at], w.symbols[right])
            if rank == NONE or self.merged[rank] != top.symbol:
                continue
            w.last[0] = w.symbols[at]
            w.last[1] = w.symbols[right]
            w.symbols[at] = top.symbol
            w.lengths[at] += w.lengths[right]
            w.lengths[right] = 0
            w.following[at] = w.following[right]
            if w.following[at] >= 0:
                w.previous[w.following[at]] = <int32_t>at
            if w.previous[at] >= 0 and not self._push(w, w.previous[at], at):
                return NO_MEMORY
            if w.following[at] >= 0 and not self._push(w, at, w.following[at]):
                return NO_MEMORY
        count = 0
        for i in range(n):
            if w.lengths[i]:
                w.symbols[count] = w.symbols[i]
                w.lengths[count] = w.lengths[i]
                count += 1
        return count

    cdef Py_ssize_t encode(self, const uint8_t *text, Py_ssize_t n, Scratch *w,
                           bint whole) noexcept nogil:
        """A word's symbols into ``w``: how many, or NO_MEMORY, NO_UNK.

        ``whole``: it is a word, not a piece of one; only then ignore_merges applies.
        """
        cdef uint32_t symbol
        cdef Py_ssize_t count
        if n == 0:
            return 0
        if whole and self.exceptions:
            symbol = self.whole_word(text, n)
            if symbol != NONE:
                if not scratch_reserve(w, 1):
                    return NO_MEMORY
                w.symbols[0] = symbol
                w.lengths[0] = <uint32_t>n
                return 1
        count = self.split(text, n, w)
        # As many symbols as bytes: they are the bytes'.
        return self.merge(text if count == n else NULL, w, count) if count > 0 else count

    cdef void touch(self) noexcept nogil:
        tc_touch(self.pairs.entries, tc_pairs_slots(&self.pairs) * sizeof(uint64_t))
        tc_touch(self.ids, self.size * sizeof(uint32_t))
        if self.byte_pairs != NULL:
            tc_touch(self.byte_pairs, 65536 * sizeof(uint32_t))
        if self.wholes.tokens != NULL:
            tc_touch(self.wholes.tokens, (self.wholes.mask + 1) * 64)

    cdef Py_ssize_t remember(self, const tc_batch *batch, const tc_batch *spelled,
                             const uint16_t *units, Py_ssize_t count, Scratch *w,
                             tc_line *lines, uint64_t mask, int level) noexcept nogil:
        cdef tc_merger merger
        cdef tc_merge_words merge = tc_merge_words_of(level)
        cdef uint16_t left[TC_BATCH]
        cdef Py_ssize_t used = 0
        if not self.in_lanes:
            return 0
        self._fill_merger(&merger)
        if self.byte_pairs == NULL:
            return self._remember_split(batch, spelled, units, count, w, lines, mask, &merger,
                                        merge)
        if spelled != batch:
            return 0
        if self.wholes.tokens == NULL:
            return merge(&merger, batch, units, count, lines, mask)
        count = tc_take_wholes(&self.wholes, self.ids, batch, units, count, left, lines, mask,
                               &used)
        return used + merge(&merger, batch, left, count, lines, mask)

    cdef void _fill_merger(self, tc_merger *merger) noexcept nogil:
        memset(merger, 0, sizeof(tc_merger))
        merger.pairs = &self.pairs
        merger.merged = NULL if self.in_order else self.merged
        merger.first = self.merged[0]
        merger.ids = self.ids
        merger.byte_symbols = self.byte_symbols
        merger.byte_pairs = self.byte_pairs
        merger.whole = &self.characters if self.characters.whole != NULL else NULL

    cdef Py_ssize_t _remember_split(self, const tc_batch *batch, const tc_batch *spelled,
                                    const uint16_t *units, Py_ssize_t count, Scratch *w,
                                    tc_line *lines, uint64_t mask, tc_merger *merger,
                                    tc_merge_words merge) noexcept nogil:
        """The same for words that have to be split into their first symbols before."""
        cdef uint32_t symbols[SPLIT_WORDS * TC_SHORT_WORD]
        cdef uint8_t sizes[SPLIT_WORDS]
        cdef uint16_t chosen[SPLIT_WORDS]
        cdef Py_ssize_t i, n, have = 0, used = 0
        cdef const uint8_t *word
        merger.symbols = symbols
        merger.sizes = sizes
        for i in range(count):
            word = <const uint8_t *>&spelled.keys[units[i]]
            n = self.split(word, word[KEY_LIMIT], w)
            if not 1 <= n <= TC_SHORT_WORD:
                continue
            memcpy(symbols + have * TC_SHORT_WORD, w.symbols, n * sizeof(uint32_t))
            sizes[have] = <uint8_t>n
            chosen[have] = units[i]
            have += 1
            if have == SPLIT_WORDS:
                used += merge(merger, batch, chosen, have, lines, mask)
                have = 0
        return used + merge(merger, batch, chosen, have, lines, mask)

    def merges(self):
        """All pairs that merge: a list of (rank, left id, right id, id made), by rank."""
        cdef uint64_t slot
        cdef uint32_t left, right, rank
        found = []
        for slot in range(tc_pairs_slots(&self.pairs)):
            if tc_pair_at(&self.pairs, slot, &left, &right, &rank):
                found.append((self.levels[rank] if self.levels != NULL else rank,
                              self.ids[left], self.ids[right], self.ids[self.merged[rank]]))
        found.sort()
        return found

    def remembered(self, list words not None, int level):
        """Ids of words of 1 to 31 bytes, encoded side by side (for tests).

        None for a word that is left to :meth:`tokenize`. ``level`` is one of
        ``textcore.core.windows.levels()``.
        """
        cdef tc_batch batch
        cdef uint16_t units[TC_BATCH]
        cdef tc_passes passes = tc_passes_of(level)
        cdef WordCache cache = WordCache(1 << 12)
        cdef const tc_line *line
        cdef Scratch w
        cdef Py_ssize_t i, n, count = len(words)
        if count > TC_BATCH:
            raise ValueError(f"{count} words; at most {TC_BATCH} are a batch")
        for i in range(count):
            if not 1 <= len(words[i]) <= KEY_LIMIT:
                raise ValueError(f"words[{i}] has {len(words[i])} bytes, not 1 to {KEY_LIMIT}")
            tc_load_key(&batch.keys[i], <bytes>words[i], len(words[i]), len(words[i]))
            batch.hashes[i] = passes.hash(&batch.keys[i])
        scratch_init(&w)
        i = passes.lacking(&batch, 0, count, cache.lines, cache.mask, units)
        self.remember(&batch, &batch, units, i, &w, cache.lines, cache.mask, level)
        scratch_free(&w)
        found = []
        for i in range(count):
            line = tc_find_line(cache.lines, cache.mask, batch.hashes[i], &batch.keys[i])
            found.append(None if line == NULL else [line.ids[n] for n in range(tc_line_count(line))])
        return found

    def single_words(self):
        """The words that are found to be one token before they are merged, and its id (for tests)."""
        cdef uint64_t i, high
        cdef const uint8_t *text
        found = {}
        for i in range(TC_WHOLES_A_LINE * (self.wholes.mask + 1) if self.wholes.tokens else 0):
            text = <const uint8_t *>&self.wholes.tokens[i]
            high = self.wholes.tokens[i].high
            if high >> 60:
                found[text[:high >> 60]] = self.ids[high >> 32 & (TC_WHOLE_SYMBOLS - 1)]
        return found

    def options(self):
        """What else the model was made with, by the names of a tokenizer.json."""
        affixes = self._affixes.decode()
        prefix = self._affixes[:self.prefix_size].decode()
        return {
            "fuse_unk": bool(self.fuse_unk),
            "byte_fallback": bool(self.use_fallback),
            "ignore_merges": self.exceptions > 0,
            "continuing_subword_prefix": prefix or None,
            "end_of_word_suffix": affixes[len(prefix):] or None,
        }

    def tokenize(self, bytes word not None):
        """One word: a list of (id, length in bytes of ``word``), no cache, no cuts.

        Raises ValueError where an unknown token is needed and the vocabulary lacks it.
        """
        cdef uint32_t symbol
        return [(self.ids[symbol], length) for symbol, length in self.symbols(word)]
