# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Literals that are not JSON, in a stream, written as JSON while they arrive.

Two spellings. In Python's, strings stand in quotes with Python's escapes, words are
``True``, ``False`` and ``None``, and a call's arguments are ``key=value`` pairs up to ``)``.
In the marked one, strings stand verbatim between two equal marks of several characters,
keys stand bare before ``:``. JSON's own words are words in both.

There is no recursion: an open level costs one byte, and a string is written as it comes.
Only a number or a word is held until it ends.

Models do not always write what they should: a string may go on over lines, a quote or a mark
within it ends it only where something can follow that may stand behind a string, and a set is an
array. Where strings have marks, those in quotes are read, too (or in backticks), keys as well; what has neither and
is no number or word goes on to a mark, to the end of its level or to a comma that a key follows;
``=`` may stand for ``:``, and round brackets for the outermost braces. A comma may be missing
before a key; right behind a string's end, only a key of a parameter that there is counts as one.
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport (
    PyUnicode_Check,
    PyUnicode_DATA,
    PyUnicode_FromKindAndData,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
    PyUnicode_READ_CHAR,
)
from libc.stdint cimport uint8_t, uint32_t

import json
import re

cdef enum:
    KEPT_LEVELS = 4096
    KEPT_TEXT = 1 << 16
    HEX_DIGITS = 1024           # the longest number that is not decimal

cdef enum Level:
    ARRAY
    TUPLE
    SET
    OBJECT
    ARGUMENTS

cdef enum State:
    VALUE                       # a value, or where `may_close` the end of the level
    KEY                         # a key, likewise
    BARE_KEY                    # within a key without quotes
    COLON
    AFTER
    WORD                        # within a number or a word
    MARK                        # within the mark that opens a string
    ENDING                      # behind a quote that may end a string
    QUOTE                       # behind a string's first quote
    QUOTES                      # behind two
    STRING
    BARE                        # within a string without marks
    BARE_COMMA                  # behind a comma in one, where a key may follow
    NO_COMMA                    # right behind a string's end, maybe, in a word that may be a key
    ESCAPE
    CODE                        # within the digits of an escape

JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
PYTHON_NUMBER = re.compile(
    r"([-+]?)0*([0-9](?:_?[0-9])*)?(\.(?:[0-9](?:_?[0-9])*)?)?([eE][-+]?[0-9](?:_?[0-9])*)?"
)
BASED_NUMBER = re.compile(r"[-+]?0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
WORDS = {
    "true": "true", "false": "false", "null": "null",
    "True": "true", "False": "false", "None": "null",
}


cdef inline bint is_space(uint32_t c) noexcept nogil:
    return c == 32 or c == 10 or c == 13 or c == 9


cdef inline bint in_word(uint32_t c) noexcept nogil:
    return (48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c == 95 or c == 43 or c == 45
            or c == 46)


cdef inline int hex_value(uint32_t c) noexcept nogil:
    if 48 <= c <= 57:
        return <int>c - 48
    if 97 <= c <= 102:
        return <int>c - 87
    if 65 <= c <= 70:
        return <int>c - 55
    return -1


cdef class LiteralScanner:
    """Reads one value, or a call's arguments, and gives it as JSON text.

    ``mark`` is what stands around a string; without one the spelling is Python's. Not to be
    shared by threads.

    Attributes:
        done: the value is complete.
        bad: the text is not a literal.
        begun: the outermost level has its first key, or is empty.

    Raises:
        ValueError: a mark that ends as it begins, which a string could not be told from.
    """

    cdef readonly bint done
    cdef readonly bint bad
    cdef readonly bint begun
    cdef readonly str mark
    cdef State state
    cdef uint8_t* levels
    cdef Py_ssize_t depth
    cdef Py_ssize_t capacity
    cdef uint32_t* out          # JSON text that has not been taken
    cdef Py_ssize_t size
    cdef Py_ssize_t room
    cdef Py_ssize_t word        # where in `out` the number or word begins
    cdef bint may_close
    cdef bint comma             # a separator is due before the next item
    cdef bint is_key
    cdef bint triple
    cdef bint marked            # the string stands between marks
    cdef uint32_t quote
    cdef int matched            # characters of the mark, or quotes at a triple string's end
    cdef int digits             # of an escape: how many are still to come
    cdef Py_ssize_t spaces      # held back at the end of a key without quotes
    cdef bint octal
    cdef uint32_t code
    cdef Py_ssize_t ending      # where in `out` the quote stands that may end a string, or -1
    cdef Py_ssize_t brace       # where the brace stands that may open a set, or -1
    cdef Py_ssize_t held        # where the string begins that is to be converted, or -1
    cdef object holds           # by a key, whether a string is to be converted
    cdef object convert         # a key and a string to JSON text
    cdef object knows           # whether there is a parameter of a name
    cdef bint raw               # in the outermost level's strings a backslash is a backslash
    cdef list key               # the characters of the outermost level's key

    def __cinit__(self, str mark not None=""):
        for i in range(1, len(mark)):
            if mark.startswith(mark[i:]):
                raise ValueError(f"a mark that ends as it begins: {mark[:80]!r}")
        self.mark = mark
        self.start(False)

    def __dealloc__(self):
        PyMem_Free(self.levels)
        PyMem_Free(self.out)

    def start(self, bint arguments=False, holds=None, convert=None, bint raw=False, knows=None,
              bint round=False):
        """Forget everything. The next character begins a value or, with ``arguments``, stands
        behind the bracket that opens a call's arguments.

        Strings of the outermost level's keys for which ``holds(key)`` is true are held until
        they end; ``convert(key, string)`` then gives their JSON text. With ``raw``, a backslash
        in the outermost level's strings is a backslash. ``knows(key)`` says whether the call has
        a parameter of that name. The arguments' bracket is a brace where strings have marks,
        unless it is ``round``.
        """
        self.raw = raw
        self.knows = knows
        self.holds = holds
        self.convert = convert
        self.key = []
        self.ending = self.brace = self.held = -1
        self.done = self.bad = self.begun = self.may_close = self.comma = self.is_key = False
        self.depth = self.size = 0
        self.state = VALUE
        if self.capacity > KEPT_LEVELS:
            PyMem_Free(self.levels)
            self.levels = NULL
            self.capacity = 0
        if self.room > KEPT_TEXT:
            PyMem_Free(self.out)
            self.out = NULL
            self.room = 0
        if arguments:
            self.open(OBJECT if self.mark and not round else ARGUMENTS)

    def take(self):
        """The JSON text that has become certain since the last time."""
        cdef Py_ssize_t keep, count = self.size
        cdef object text
        if self.state == WORD:
            count = self.word
        if 0 <= self.ending < count:
            count = self.ending
        if 0 <= self.brace < count:
            count = self.brace
        if 0 <= self.held < count:
            count = self.held
        if count == 0:
            return ""
        keep = self.size - count
        text = PyUnicode_FromKindAndData(4, self.out, count)
        for i in range(keep):
            self.out[i] = self.out[count + i]
        self.size = keep
        self.word -= count
        self.ending = self.ending - count if self.ending >= 0 else -1
        self.brace = self.brace - count if self.brace >= 0 else -1
        self.held = self.held - count if self.held >= 0 else -1
        return text

    def feed(self, text, Py_ssize_t position=0):
        """Read on at ``text[position]``; return the position behind what belongs to the value.

        Raises:
            TypeError: ``text`` is not a str.
            ValueError: ``position`` is outside the text.
        """
        cdef Py_ssize_t length, at = position
        cdef int kind
        cdef void* data
        cdef uint32_t c
        if not PyUnicode_Check(text):
            raise TypeError(f"a text is a str, not {type(text).__name__}")
        length = PyUnicode_GET_LENGTH(text)
        if position < 0 or position > length:
            raise ValueError(f"position {position} is outside a text of {length} characters")
        kind = <int>PyUnicode_KIND(text)
        data = PyUnicode_DATA(text)
        while at < length and not self.done and not self.bad:
            c = PyUnicode_READ(kind, data, at)
            if self.step(c):
                at += 1
        return at

    def finish(self):
        """Say that the text ends here, which completes a number or a word; return ``done``.

        What was held of an incomplete value is no longer held.
        """
        if not self.bad and self.depth == 0:
            if self.state == WORD:
                self.end_word(0)
            elif self.state == QUOTES:
                self.put(34)
                self.put(34)
                self.complete()
        elif self.depth:
            self.ending = self.brace = self.held = -1
            if self.state == WORD:
                self.state = AFTER
        return self.done

    cdef bint step(self, uint32_t c) except -1:
        """Take one character; False where it is to be read again."""
        if self.state == STRING:
            return self.in_string(c)
        if self.state == WORD:
            if in_word(c):
                self.put(c)
                return True
            self.end_word(c)
            return False
        if self.state == BARE:
            return self.in_bare(c)
        if self.state == BARE_COMMA:
            return self.behind_comma(c)
        if self.state == NO_COMMA:
            return self.without_comma(c)
        if self.state == ENDING:
            return self.at_ending(c)
        if self.state == ESCAPE:
            self.in_escape(c)
            return True
        if self.state == CODE:
            return self.in_code(c)
        if self.state == BARE_KEY:
            return self.in_bare_key(c)
        if self.state == MARK:
            if c != PyUnicode_READ_CHAR(self.mark, self.matched):
                self.bad = True
                return False
            self.matched += 1
            if self.matched == len(self.mark):
                self.marked = True
                self.begin_string()
            return True
        if self.state == QUOTE or self.state == QUOTES:
            return self.in_quotes(c)
        if is_space(c):
            return True
        if self.state == AFTER:
            return self.in_after(c)
        if self.state == COLON:
            if (c == 44 or c == 125) and self.brace >= 0 and not self.mark:
                return self.is_set()
            self.brace = -1
            self.bad = c != 58 and (c != 61 or not self.mark)
            if not self.bad:
                self.put(58)
                self.put(32)
                self.state = VALUE
                self.may_close = False
            return not self.bad
        if self.may_close and (c == 93 or c == 125 or c == 41):
            return self.close(c)
        if self.state == KEY:
            return self.begin_key(c)
        return self.begin_value(c)

    cdef bint begin_value(self, uint32_t c) except -1:
        self.is_key = False
        if self.comma:
            self.put(44)
            self.put(32)
            self.comma = False
        if c == 91:
            self.open(ARRAY)
        elif c == 123:
            self.open(OBJECT)
        elif c == 40 and not self.mark:
            self.open(TUPLE)
        elif self.opens_string(c):
            pass
        elif in_word(c):
            self.word = self.size
            self.state = WORD
            self.put(c)
        elif self.mark and self.depth:
            self.begin_string()
            self.state = BARE
            return False
        else:
            self.bad = True
        return not self.bad

    cdef bint opens_string(self, uint32_t c) except -1:
        if self.mark and c == PyUnicode_READ_CHAR(self.mark, 0):
            self.matched = 1
            self.state = MARK
            if len(self.mark) == 1:
                self.marked = True
                self.begin_string()
            return True
        if c != 34 and c != 39 and (c != 96 or not self.mark):
            return False
        self.marked = False
        self.quote = c
        self.state = QUOTE
        return True

    cdef bint begin_key(self, uint32_t c) except -1:
        if self.comma:
            self.put(44)
            self.put(32)
            self.comma = False
        self.is_key = True
        self.key = []
        if (self.mark or self.levels[self.depth - 1] != ARGUMENTS) and self.opens_string(c):
            return True
        if not self.mark and not in_word(c) and c < 128:
            self.bad = True
            return False
        self.put(34)
        self.spaces = 0
        self.state = BARE_KEY
        return False

    cdef bint in_bare_key(self, uint32_t c) except -1:
        cdef uint32_t end = 61 if self.levels[self.depth - 1] == ARGUMENTS else 58
        if c == 32:
            # Only text behind it says whether a space belongs to the key.
            self.spaces += 1
            return True
        if c == end or ((c == 61 or c == 58) and self.mark):
            self.brace = -1
            self.put(34)
            self.put(58)
            self.put(32)
            self.state = VALUE
            self.may_close = False
            self.begun = True
            return True
        if not self.mark and (self.spaces or (not in_word(c) and c < 128)):
            self.bad = True
            return False
        while self.spaces:
            self.put(32)
            self.spaces -= 1
        self.put_escaped(c)
        return True

    cdef bint in_after(self, uint32_t c) except -1:
        cdef uint8_t level = self.levels[self.depth - 1]
        if c != 44:
            if c == 93 or c == 125 or c == 41 or level == ARRAY or level == TUPLE or level == SET:
                return self.close(c)
            # A comma is missing, or this is no key.
            self.comma = True
            self.state = KEY
            self.may_close = False
            return False
        self.comma = True
        self.may_close = True
        self.state = KEY if level == OBJECT or level == ARGUMENTS else VALUE
        return True

    cdef bint close(self, uint32_t c) except -1:
        cdef uint8_t level = self.levels[self.depth - 1] if self.depth else ARRAY
        if self.depth == 0 or c != (
            93 if level == ARRAY else 125 if level == OBJECT or level == SET else 41
        ):
            self.bad = True
            return False
        self.brace = -1
        self.depth -= 1
        self.begun = True
        self.put(125 if level == OBJECT or level == ARGUMENTS else 93)
        self.comma = False
        self.complete()
        return True

    cdef int complete(self) except -1:
        if self.depth == 0:
            self.done = True
        self.state = AFTER
        return 0

    cdef int open(self, uint8_t level) except -1:
        cdef Py_ssize_t capacity
        cdef uint8_t* levels
        if self.depth == self.capacity:
            capacity = max(<Py_ssize_t>32, 2 * self.capacity)
            levels = <uint8_t*>PyMem_Realloc(self.levels, capacity)
            if levels == NULL:
                raise MemoryError
            self.levels = levels
            self.capacity = capacity
        self.levels[self.depth] = level
        self.depth += 1
        if level == OBJECT and self.brace < 0 and self.depth > 1:
            self.brace = self.size
        self.put(123 if level == OBJECT or level == ARGUMENTS else 91)
        self.state = KEY if level == OBJECT or level == ARGUMENTS else VALUE
        self.may_close = True
        self.comma = False
        return 0

    cdef bint is_set(self) except -1:
        """What opened as an object turns out to be a set, of which a string has come."""
        self.out[self.brace] = 91
        self.brace = -1
        self.levels[self.depth - 1] = SET
        self.is_key = False
        self.complete()
        return False

    # Strings.

    cdef int begin_string(self) except -1:
        if self.holds is not None and self.depth == 1 and not self.is_key:
            if self.holds("".join(self.key)):
                self.held = self.size
        self.put(34)
        self.state = STRING
        self.triple = False
        self.matched = 0
        return 0

    cdef int end_string(self) except -1:
        self.put(34)
        if self.held >= 0:
            self.converted()
        if self.is_key:
            self.state = COLON
        else:
            self.complete()
        return 0

    cdef int converted(self) except -1:
        """Put what the string that was held stands for in its place."""
        cdef str text = PyUnicode_FromKindAndData(4, self.out + self.held, self.size - self.held)
        self.size = self.held
        self.held = -1
        for character in self.convert("".join(self.key), json.loads(text)):
            self.put(<uint32_t>ord(character))
        return 0

    cdef bint at_ending(self, uint32_t c) except -1:
        """Behind a quote and whitespace: the string's end, if ``c`` may follow one."""
        cdef uint8_t level = self.levels[self.depth - 1]
        cdef bint ends
        if is_space(c):
            self.put_escaped(c)
            return True
        if self.is_key:
            ends = c == 58 or (self.brace >= 0 and (c == 44 or c == 125))
        elif level == ARRAY:
            ends = c == 44 or c == 93
        elif level == OBJECT or level == SET:
            ends = c == 44 or c == 125
        else:
            ends = c == 44 or c == 41
        if ends:
            self.size = self.ending
            self.ending = -1
            self.end_string()
        elif self.may_begin_key(c):
            self.state = NO_COMMA
        else:
            self.ending = -1
            self.state = STRING
        return False

    cdef int go_on_with(self, str key) except -1:
        """What is behind ``ending`` was no part of the string, but the next key."""
        self.size = self.ending
        self.ending = -1
        self.end_string()
        self.in_after(44)
        self.begin_key(<uint32_t>ord(key[0]))
        for character in key:
            self.in_bare_key(<uint32_t>ord(character))
        return 0

    cdef bint may_begin_key(self, uint32_t c) noexcept:
        """Whether a key may follow a string of the outermost level with no comma between."""
        return (self.depth == 1 and not self.is_key and self.knows is not None and in_word(c)
                and self.size == self.ending + 2)

    cdef bint without_comma(self, uint32_t c) except -1:
        """In a word right behind a quote: if it is a parameter's name, the string has ended."""
        cdef str key
        if in_word(c):
            self.put(c)
            return True
        if c == 61 or (c == 58 and self.mark):
            key = PyUnicode_FromKindAndData(
                4, self.out + self.ending + 2, self.size - self.ending - 2
            )
            if self.knows(key):
                self.go_on_with(key)
                return False
        self.ending = -1
        self.state = STRING
        return False

    cdef bint in_quotes(self, uint32_t c) except -1:
        """Behind one quote or two: a string, an empty string, or a triple-quoted one."""
        if self.state == QUOTE:
            if c == self.quote:
                self.state = QUOTES
                return True
            self.begin_string()
            return False
        if c == self.quote:
            self.begin_string()
            self.triple = True
            return True
        self.put(34)
        self.end_string()
        return False

    cdef bint in_string(self, uint32_t c) except -1:
        if self.marked:
            return self.in_marked(c)
        if c == self.quote:
            if not self.triple:
                if self.depth == 0:
                    self.end_string()
                    return True
                self.ending = self.size
                self.put_escaped(c)
                self.state = ENDING
                return True
            self.matched += 1
            if self.matched == 3:
                self.end_string()
            return True
        while self.matched:
            self.put_escaped(self.quote)
            self.matched -= 1
        if c == 92 and not (self.raw and self.depth == 1):
            self.state = ESCAPE
        else:
            self.put_escaped(c)
        return True

    cdef bint in_marked(self, uint32_t c) except -1:
        cdef int i
        if c == PyUnicode_READ_CHAR(self.mark, self.matched):
            self.matched += 1
            if self.matched == len(self.mark):
                self.matched = 0
                if self.depth == 0:
                    self.end_string()
                    return True
                # A mark within the string stands for a quote.
                self.ending = self.size
                self.put_escaped(34)
                self.state = ENDING
            return True
        if self.matched:
            for i in range(self.matched):
                self.put_escaped(PyUnicode_READ_CHAR(self.mark, i))
            self.matched = 0
            return False
        self.put_escaped(c)
        return True

    cdef bint in_bare(self, uint32_t c) except -1:
        """A string that no mark has opened."""
        cdef int i
        cdef bint in_array = self.levels[self.depth - 1] == ARRAY
        if c == PyUnicode_READ_CHAR(self.mark, self.matched):
            self.matched += 1
            if self.matched == len(self.mark):
                self.matched = 0
                self.end_string()
            return True
        if self.matched:
            for i in range(self.matched):
                self.put_escaped(PyUnicode_READ_CHAR(self.mark, i))
            self.matched = 0
            return False
        if c == self.closing() or (in_array and c == 44):
            self.end_string()
            return False
        if c == 44:
            self.ending = self.size
            self.state = BARE_COMMA
        self.put_escaped(c)
        return True

    cdef uint32_t closing(self) noexcept:
        """What ends the innermost level of those in which strings have marks."""
        cdef uint8_t level = self.levels[self.depth - 1]
        return 93 if level == ARRAY else 41 if level == ARGUMENTS else 125

    cdef bint behind_comma(self, uint32_t c) except -1:
        """Behind a comma in such a string: it ends there if a key follows."""
        cdef str key
        if in_word(c) or c == 32:
            self.put(c)
            return True
        if c == 58 or c == 61:
            key = PyUnicode_FromKindAndData(
                4, self.out + self.ending + 1, self.size - self.ending - 1
            ).strip()
            if key:
                self.go_on_with(key)
                return False
        self.ending = -1
        self.state = BARE
        return False

    cdef int in_escape(self, uint32_t c) except -1:
        """The character behind a backslash, as Python reads it."""
        self.state = STRING
        self.octal = False
        self.code = 0
        if c == 110:
            self.put_escaped(10)
        elif c == 116:
            self.put_escaped(9)
        elif c == 114:
            self.put_escaped(13)
        elif c == 98:
            self.put_escaped(8)
        elif c == 102:
            self.put_escaped(12)
        elif c == 118:
            self.put_escaped(11)
        elif c == 97:
            self.put_escaped(7)
        elif c == 10 or c == 13:
            pass
        elif c == 34 or c == 39 or c == 92:
            self.put_escaped(c)
        elif 48 <= c <= 55:
            self.octal = True
            self.digits = 2
            self.code = c - 48
            self.state = CODE
        elif c == 120 or c == 117 or c == 85:
            self.digits = 2 if c == 120 else 4 if c == 117 else 8
            self.state = CODE
        elif c == 78:
            self.bad = True     # names of characters are not known here
        else:
            self.put_escaped(92)
            self.put_escaped(c)
        return 0

    cdef bint in_code(self, uint32_t c) except -1:
        cdef int digit = hex_value(c)
        if self.octal and not 0 <= digit < 8:
            self.put_escaped(self.code)
            self.state = STRING
            return False
        if digit < 0:
            self.bad = True
            return False
        self.code = (self.code << 3 | digit) if self.octal else (self.code << 4 | digit)
        self.digits -= 1
        if self.digits == 0:
            if self.code > 0x10FFFF:
                self.bad = True
                return False
            self.put_escaped(self.code)
            self.state = STRING
        return True

    # Words and output.

    cdef int end_word(self, uint32_t c) except -1:
        """A number or a word has ended before ``c``: write it as JSON does."""
        cdef str word = PyUnicode_FromKindAndData(4, self.out + self.word, self.size - self.word)
        cdef object found = word if JSON_NUMBER.fullmatch(word) else WORDS.get(word)
        if found is None:
            found = as_number(word)
        if found is None:
            self.size = self.word
            if self.mark and self.depth and c:
                self.begin_string()
                for character in word:
                    self.put(<uint32_t>ord(character))
                self.state = BARE
                return 0
            self.bad = True
            self.state = AFTER
            return 0
        if found is not word:
            self.size = self.word
            for character in found:
                self.put(<uint32_t>ord(character))
        self.complete()
        return 0

    cdef int put(self, uint32_t c) except -1:
        cdef Py_ssize_t room
        cdef uint32_t* out
        if self.size == self.room:
            room = max(<Py_ssize_t>64, self.room + (self.room >> 1))
            out = <uint32_t*>PyMem_Realloc(self.out, room * sizeof(uint32_t))
            if out == NULL:
                raise MemoryError
            self.out = out
            self.room = room
        self.out[self.size] = c
        self.size += 1
        return 0

    cdef int put_escaped(self, uint32_t c) except -1:
        """A string's character, escaped where JSON must or where it is a lone surrogate."""
        cdef const char* digits = "0123456789abcdef"
        if self.is_key and self.depth == 1 and self.holds is not None:
            self.key.append(chr(c))
        if c == 34 or c == 92:
            self.put(92)
            self.put(c)
        elif c < 32 or 0xD800 <= c < 0xE000:
            self.put(92)
            if c == 10:
                self.put(110)
            elif c == 9:
                self.put(116)
            elif c == 13:
                self.put(114)
            elif c == 8:
                self.put(98)
            elif c == 12:
                self.put(102)
            else:
                self.put(117)
                for shift in (12, 8, 4, 0):
                    self.put(digits[(c >> <int>shift) & 15])
        else:
            self.put(c)
        return 0


cdef object as_number(str word):
    """JSON for a number that Python spells otherwise, or None."""
    if BASED_NUMBER.fullmatch(word):
        return str(int(word, 0)) if len(word) <= HEX_DIGITS else None
    found = PYTHON_NUMBER.fullmatch(word)
    if not found:
        return None
    sign, whole, fraction, power = found.groups("")
    zeros = word.lstrip("+-").startswith("0")
    if not whole and not zeros and len(fraction) < 2:
        return None
    if fraction == ".":
        fraction = ".0"
    return (
        ("-" if sign == "-" else "") + (whole or "0").replace("_", "")
        + fraction.replace("_", "") + power.replace("_", "")
    )
