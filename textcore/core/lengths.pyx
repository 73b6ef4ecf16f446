# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How much of a word each token stands for, told by the token alone.

That is its spelling, without the affixes that a model gives to a word's parts. Of some
tokens only the model knows: one that stands for anything unknown has no length of its own.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from .bpe cimport BPE
from .bytelevel import to_bytes
from .model cimport NONE, WordModel
from .unigram cimport Unigram
from .wordpiece cimport WordLevel, WordPiece

cdef enum:
    PREFIXED = 1
    SUFFIXED = 2


cdef class TokenLengths:
    """Lengths by id, in bytes of the words that a model is given.

    Parameters
    ----------
    model : WordModel
        A BPE, WordPiece, WordLevel or Unigram.
    tokens : dict of int to str
        The token of each id.
    mark : str
        What the encoder's models put for a space, one character; "" where they put nothing.

    Raises
    ------
    ValueError
        Lengths can't tell where the tokens of this model are.
    """

    def __init__(self, WordModel model not None, dict tokens not None, str mark not None=""):
        cdef bint byte_level = 0
        # What tokens begin with that do not begin a word, and end with that end one.
        cdef str prefix = "", suffix = ""
        if self.full != NULL:
            raise RuntimeError("TokenLengths is built once")
        if isinstance(model, BPE):
            byte_level = (<BPE>model).byte_level
            prefix, suffix = affixes_of(<BPE>model)
            check_bpe(<BPE>model, bool(prefix or suffix))
        elif isinstance(model, WordPiece):
            prefix = (<WordPiece>model).prefix
        elif not isinstance(model, (WordLevel, Unigram)):
            raise ValueError(f"a {type(model).__name__} has tokens of unknown lengths")
        self.size = max(tokens, default=-1) + 1
        if self.size > 4 * model.size + 65536:
            raise ValueError("ids are far apart")
        self.full = <uint32_t *>calloc(max(1, self.size), sizeof(uint32_t))
        self.flags = <uint8_t *>calloc(max(1, self.size), 1)
        self.told = <tc_told *>calloc(max(1, self.size), sizeof(tc_told))
        if self.full == NULL or self.flags == NULL or self.told == NULL:
            raise MemoryError()
        self._fill(tokens, byte_level, prefix, suffix, mark)
        self.telling.told = self.told
        self.telling.affixed = bool(prefix)
        # A mark in bytes is as long as itself, and not as a space.
        if not mark or mark in tokens.values():
            self.telling.known = <uint32_t>self.size
        if isinstance(model, BPE):
            forget_bpe(self, <BPE>model)
        elif isinstance(model, Unigram):
            forget_unigram(self, <Unigram>model)
        else:
            unk = (<WordPiece>model).unk if isinstance(model, WordPiece) else (
                <WordLevel>model).unk
            if unk != NONE:
                self._forget(model.ids[unk])

    def __dealloc__(self):
        free(self.full)
        free(self.flags)
        free(self.told)

    cdef int _fill(self, dict tokens, bint byte_level, str prefix, str suffix,
                   str mark) except -1:
        cdef uint32_t token_id
        cdef str token
        cdef bytes content = None
        cdef Py_ssize_t size
        self.prefix, self.suffix = len(prefix.encode()), len(suffix.encode())
        for token_id, token in tokens.items():
            if byte_level:
                # A character for each byte; what has others is never made of a text.
                content = to_bytes(token)
                size = 0 if content is None else len(content)
            else:
                size = utf8_size(token)
            self.full[token_id] = <uint32_t>size
            if prefix and token.startswith(prefix):
                self.flags[token_id] |= PREFIXED
            if suffix and token.endswith(suffix):
                self.flags[token_id] |= SUFFIXED
            self._tell(token_id, token, size, content, prefix, suffix, mark)
        return 0

    cdef int _tell(self, uint32_t token_id, str token, Py_ssize_t size, bytes content, str prefix,
                   str suffix, str mark) except -1:
        """Note what a token of so many bytes tells; ``content``: these, if it is spelled otherwise.
        """
        cdef tc_told told
        cdef Py_ssize_t characters = len(token), marks
        cdef const uint8_t *data
        cdef Py_ssize_t i
        memset(&told, 0, sizeof(told))
        if size == 0:
            return 0
        if content is not None:
            data = content
            characters = 0
            for i in range(size):
                characters += (data[i] & 0xC0) != 0x80
            if (data[0] & 0xC0) == 0x80:
                told.flags |= TC_TOLD_INSIDE
        if mark:
            marks = token.count(mark)
            size -= marks * (utf8_size(mark) - 1)
            if token.startswith(mark):
                told.flags |= TC_TOLD_MARKED
        if self.flags[token_id] & PREFIXED:
            size -= self.prefix
            characters -= len(prefix)
            told.flags |= TC_TOLD_LATER
        if self.flags[token_id] & SUFFIXED:
            size -= self.suffix
            characters -= len(suffix)
            told.flags |= TC_TOLD_LAST
        if 0 < size <= 0xFFFF and 0 <= characters <= 0xFF:
            told.size = <uint16_t>size
            told.characters = <uint8_t>characters
            self.told[token_id] = told
        return 0

    cdef void _forget(self, uint32_t token) noexcept:
        if <Py_ssize_t>token < self.size:
            self.full[token] = 0
            self.told[token].size = 0

    cdef Py_ssize_t length(self, uint32_t token, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
        """Of a token at byte ``at`` of a word that ends at ``end``; 0: ask the model."""
        cdef Py_ssize_t size
        if <Py_ssize_t>token >= self.size:
            return 0
        size = self.full[token]
        if size and self.prefix and at:
            if not self.flags[token] & PREFIXED:
                return 0
            size -= self.prefix
        if size and self.suffix and self.flags[token] & SUFFIXED and (
                at + size - self.suffix == end):
            size -= self.suffix
        return size


cdef Py_ssize_t utf8_size(str text):
    """How many bytes a text has; a lone surrogate counts as any other character."""
    cdef Py_ssize_t size = 0
    cdef Py_UCS4 character
    if text.isascii():
        return len(text)
    for character in text:
        size += 1 + (character >= 0x80) + (character >= 0x800) + (character >= 0x10000)
    return size


cdef tuple affixes_of(BPE model):
    """The prefix and the suffix of a model."""
    cdef bytes affixes = model._affixes or b""
    cdef Py_ssize_t size = model.prefix_size
    return affixes[:size].decode(), affixes[size:size + model.suffix_size].decode()


cdef int check_bpe(BPE model, bint affixes) except -1:
    """Refuse a model that leaves out bytes of a word, or makes more than there are."""
    cdef int byte
    cdef bint bytes_known = model.byte_level, fallback_known = model.use_fallback
    for byte in range(256):
        bytes_known = bytes_known and model.byte_symbols[byte] != NONE
        fallback_known = fallback_known and model.fallback[byte] != NONE
    if model.unk == NONE and not bytes_known and not fallback_known:
        raise ValueError("the model leaves out characters that it does not know")
    if model.use_fallback and affixes:
        raise ValueError("the bytes of an affix are tokens of their own")
    return 0


cdef int forget_bpe(TokenLengths lengths, BPE model) except -1:
    """What stands for unknown text; a byte's token is one byte, unless it is also spelled."""
    cdef Py_ssize_t rank
    cdef int byte
    cdef uint32_t symbol
    cdef tc_told *told
    if model.unk != NONE:
        lengths._forget(model.ids[model.unk])
    if not model.use_fallback:
        return 0
    fallback = set()
    for byte in range(256):
        symbol = model.fallback[byte]
        if symbol != NONE and <Py_ssize_t>model.ids[symbol] < lengths.size:
            lengths._forget(model.ids[symbol])
            if not model.exceptions:
                told = &lengths.told[model.ids[symbol]]
                lengths.full[model.ids[symbol]] = told.size = 1
                told.characters = (byte & 0xC0) != 0x80
                told.flags = 0 if told.characters else TC_TOLD_INSIDE
            fallback.add(symbol)
    for rank in range(model.ranks):
        if model.merged[rank] in fallback:
            lengths._forget(model.ids[model.merged[rank]])
    return 0


cdef int forget_unigram(TokenLengths lengths, Unigram model) except -1:
    """What stands for unknown text, or for a byte of it."""
    cdef int byte
    if model.unk != NONE:
        lengths._forget(model.ids[model.unk])
    if model.use_fallback:
        for byte in range(256):
            if model.fallback[byte] != NONE:
                lengths._forget(model.ids[model.fallback[byte]])
    return 0
