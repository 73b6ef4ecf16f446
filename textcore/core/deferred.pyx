# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Encodings whose ids are known, and whose places are found when they are first read.

Most callers read the ids, some the offsets and words, few the rest. What the first two need is
here, without Python in between; the rest is for a subclass to make.
"""

cimport cython
from cpython.array cimport array, clone
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy

from .added cimport AddedMatcher
from .columns cimport numbers_of, pairs_of, words_of
from .encode cimport Encoder
from .spans cimport Encoded, Places, SpanFinder, encoded, put_nowhere, room_for

cdef extern from *:
    """
    /* A new object of a type, as its `__new__` makes one without arguments. */
    static PyObject *tc_new(PyTypeObject *type, PyObject *nothing) {
        return type->tp_new(type, nothing, NULL);
    }
    """
    object tc_new(type made, tuple nothing)

cdef array _no_ids = array("I")
cdef tuple _nothing = ()


cdef class Trimmer:
    """Takes blanks out of offsets, as a post-processor does.

    Parameters
    ----------
    leading, trailing : array of typecode "I"
        How many blanks a token, by its id, begins and ends with.
    prefixed : tuple of bool
        For each time that offsets are trimmed, whether one blank at the beginning of the first
        token, or of any that starts the text, stays in.
    trimmed : callable (prefixed, index, token, start, end) -> (start, end)
        The same for one token.
    """

    def __init__(self, array leading not None, array trailing not None, tuple prefixed not None,
                 trimmed):
        if leading.typecode != "I" or trailing.typecode != "I" or len(leading) != len(trailing):
            raise ValueError("blanks are two arrays of typecode I and of one length")
        self.leading, self.trailing = leading, trailing
        self.prefixed = prefixed
        self.one = trimmed

    cdef int run(self, Places places, const uint32_t *ids, Py_ssize_t first,
                 Py_ssize_t count) except -1:
        """Trim so many tokens from ``first`` on, the first of a text; ``ids`` are theirs."""
        cdef Py_ssize_t at
        cdef list kept
        for prefixed in self.prefixed:
            # What a token is where the vocabulary has another is rare.
            kept = [(at, token, places.starts[at], places.ends[at])
                    for at, token in places.odd if first <= at < first + count]
            self._known(places.starts + first, places.ends + first, ids, count, prefixed)
            for at, token, start, end in kept:
                start, end = self.one(prefixed, at - first, token, start, end)
                places.starts[at], places.ends[at] = start, end
        return 0

    def trimmed(self, array ids not None, Py_ssize_t first, Py_ssize_t count,
                array words not None, array starts not None, array ends not None,
                list odd not None):
        """The same of columns (typecode "q"), of which new ones are given."""
        cdef Places places = places_of(words, starts, ends)
        if not 0 <= first <= first + count <= min(places.count, len(ids)):
            raise IndexError(f"no tokens {first} to {first + count} among {places.count}")
        places.odd = odd
        self.run(places, <const uint32_t *>ids.data.as_uints + first, first, count)
        return places.arrays()

    cdef void _known(self, int64_t *low, int64_t *high, const uint32_t *ids, Py_ssize_t count,
                     bint prefixed) noexcept nogil:
        cdef const unsigned int *leading = self.leading.data.as_uints
        cdef const unsigned int *trailing = self.trailing.data.as_uints
        cdef Py_ssize_t size, i
        cdef int64_t before, after
        with gil:
            size = len(self.leading)
        for i in range(count):
            if <Py_ssize_t>ids[i] >= size:
                continue
            before, after = leading[ids[i]], trailing[ids[i]]
            if prefixed and before == 1 and (i == 0 or low[i] == 0):
                before = 0
            if before:
                low[i] = min(low[i] + before, high[i])
            if after and high[i] >= after:
                high[i] = max(high[i] - after, low[i])


cdef class Finding:
    """Finds places in texts, and trims them: by what ``path`` has once it is needed.

    That is ``path.finder``, a SpanFinder, and ``path.trimmer``, a Trimmer; None for none.
    """

    def __init__(self, path):
        self.path = path

    cdef bint place(self, Encoded piece, Places places, Py_ssize_t at, bint trims) except -1:
        """Put a text's ids at ``at`` of some places; 0 where they don't tell."""
        if not self.ready:
            self.finder = self.path.finder
            self.trimmer = self.path.trimmer
            self.ready = True
        if self.finder is None or not self.finder.place(piece, places, at):
            return False
        if trims and self.trimmer is not None:
            self.trimmer.run(places, <const uint32_t *>piece.ids.data.as_uints + piece.front, at,
                             len(piece.ids) - piece.front - piece.back)
        return True


cdef class Source:
    """What finds the places of an encoding."""

    cdef Places places(self, Py_ssize_t before, Py_ssize_t after):
        """The places, with so many tokens of padding; None where nothing tells."""
        raise NotImplementedError


cdef class Joined(Source):
    """Texts among other tokens: piece ``at[i]`` is at the i-th token, counted where there are
    ``count`` in all."""

    cdef Finding finding
    cdef tuple pieces
    cdef list at
    cdef Py_ssize_t count

    cdef Places places(self, Py_ssize_t before, Py_ssize_t after):
        cdef Places found = room_for(before + self.count + after)
        cdef Encoded piece
        cdef Py_ssize_t at, number
        put_nowhere(found, 0, found.count)
        for at, number in self.at:
            piece = self.pieces[number]
            if not self.finding.place(piece, found, before + at, True):
                return None
        return found


def join(Finding finding not None, list slots not None, tuple pieces not None):
    """The ids of texts, each with none around it, and of the tokens around them.

    ``slots`` has a pair for each place: a token, or any number and the index of a piece,
    which is -1 for a token. An array (typecode "I"), and the Source of their places.
    """
    cdef Joined source = Joined.__new__(Joined)
    cdef Py_ssize_t count = 0, at = 0, number
    cdef Encoded piece
    cdef array ids
    cdef uint32_t token
    for token, number in slots:
        if number < 0:
            count += 1
        else:
            piece = pieces[number]
            count += len(piece.ids)
    ids = clone(_no_ids, count, zero=False)
    source.finding, source.pieces, source.count, source.at = finding, pieces, count, []
    for token, number in slots:
        if number < 0:
            ids.data.as_uints[at] = token
            at += 1
            continue
        piece = pieces[number]
        source.at.append((at, number))
        memcpy(ids.data.as_uints + at, piece.ids.data.as_uints, len(piece.ids) * sizeof(uint32_t))
        at += len(piece.ids)
    return ids, source


cdef class Whole:
    """A text of which several parts become encodings: its places, not trimmed, found once."""

    cdef Finding finding
    cdef readonly Encoded piece
    cdef Places found
    cdef bint looked

    def __init__(self, Finding finding not None, Encoded piece not None):
        self.finding, self.piece = finding, piece

    cdef Places places(self):
        cdef Places found
        cdef Encoded piece = self.piece
        if not self.looked:
            found = room_for(len(piece.ids) - piece.front - piece.back)
            if self.finding.place(piece, found, 0, False):
                self.found = found
            self.looked = True
        return self.found


cdef class Parts(Source):
    """Parts of texts among other tokens.

    ``slots`` has for each place (None, 0, 0), a token, or (whole, start, stop): these tokens of
    the text of a :class:`Whole`.
    """

    cdef list slots
    cdef Py_ssize_t count

    def __init__(self, list slots not None):
        cdef Py_ssize_t start, stop
        self.slots = slots
        for whole, start, stop in slots:
            if whole is None:
                self.count += 1
                continue
            piece = (<Whole?>whole).piece
            if not 0 <= start <= stop <= piece.count:
                raise IndexError(f"no tokens {start} to {stop} among {piece.count}")
            self.count += stop - start

    cdef Places places(self, Py_ssize_t before, Py_ssize_t after):
        cdef Places found = room_for(before + self.count + after), known
        cdef Py_ssize_t at = before, start, stop, size, token_at
        cdef Whole whole
        put_nowhere(found, 0, found.count)
        for each, start, stop in self.slots:
            if each is None:
                at += 1
                continue
            whole = <Whole>each
            known = whole.places()
            if known is None:
                return None
            size = (stop - start) * sizeof(int64_t)
            memcpy(found.words + at, known.words + start, size)
            memcpy(found.starts + at, known.starts + start, size)
            memcpy(found.ends + at, known.ends + start, size)
            found.odd += [(token_at - start + at, token) for token_at, token in known.odd
                          if start <= token_at < stop]
            if whole.finding.trimmer is not None:
                whole.finding.trimmer.run(
                    found, <const uint32_t *>whole.piece.ids.data.as_uints + whole.piece.front
                    + start, at, stop - start)
            at += stop - start
        return found


cdef class Frame:
    """Makes encodings of texts that get the same ids before and after them.

    Parameters
    ----------
    encoder : Encoder
    finding : Finding
    before, after : array of typecode "I"
    made : type
        A subclass of :class:`Deferred`.
    later : callable (Encoded) -> object
        What makes the columns besides ids and places: see ``Deferred._later``.
    """

    def __init__(self, Encoder encoder not None, Finding finding not None, array before not None,
                 array after not None, type made not None, later):
        if not issubclass(made, Deferred):
            raise TypeError(f"{made.__name__} is no subclass of Deferred")
        self.encoder, self.finding = encoder, finding
        self.before, self.after = before, after
        self.made, self.later = made, later

    def encoded(self, str text not None, AddedMatcher first, AddedMatcher second):
        """The encoding of a text. Raises UnicodeEncodeError for a lone surrogate."""
        return self.encode(text, first, second)

    cdef Deferred encode(self, str text, AddedMatcher first, AddedMatcher second):
        cdef Deferred new
        cdef Encoded piece = encoded(self.encoder, text, first, second, self.before, self.after)
        new = <Deferred>tc_new(self.made, _nothing)
        new.ids_ = piece.ids
        new.frame = self
        new.piece = piece
        return new


# Of its objects only those of the subclass and `overflowing_` could refer to it, and they don't.
@cython.no_gc
@cython.auto_pickle(False)
cdef class Deferred:
    """The ids of an encoding and, when they are read, its offsets and words.

    A subclass makes the other columns by ``_later``, which is None once they are there.
    ``_read`` says that there may be some.
    """

    def __len__(self):
        return len(self.ids_)

    @property
    def ids(self):
        """The ids."""
        return numbers_of(self.ids_.data.as_uints, len(self.ids_))

    @property
    def offsets(self):
        """The (start, end) characters of the input each token stands for."""
        cdef Places places = self.placed()
        return pairs_of(places.starts, places.ends, places.count)

    @property
    def word_ids(self):
        """The index of the pre-token each token is from; None for special tokens."""
        cdef Places places = self.placed()
        return words_of(places.words, places.count)

    cdef Places placed(self):
        """The places of an encoding that is as it was made, found once; else as they are."""
        cdef Places places = self.found
        if places is not None:
            return places
        if self.frame is not None:
            places = self._framed()
        elif self.source is not None:
            places = self.source.places(self.pads_before, self.pads_after)
        if places is None:
            words, starts, ends = self._columns_of_places()
            return places_of(words, starts, ends)
        self.found = places
        return places

    cdef Places _framed(self):
        cdef Encoded piece = self.piece
        cdef Py_ssize_t count = self.pads_before + len(piece.ids) + self.pads_after
        cdef Places places = room_for(count)
        put_nowhere(places, 0, self.pads_before + piece.front)
        put_nowhere(places, count - self.pads_after - piece.back, count)
        if not self.frame.finding.place(piece, places, self.pads_before + piece.front, True):
            return None
        return places

    def places(self):
        """Words (-1 for none), starts and ends, as they are: arrays of typecode "q"."""
        cdef Places places = self.found
        if places is None and (self.frame is not None or self.source is not None):
            places = self.placed()
        if places is not None:
            return places.arrays()
        return self._columns_of_places()

    def _columns_of_places(self):
        """The same, of a subclass's own."""
        raise NotImplementedError

    # ------------------------------------------------------------ of a subclass

    @property
    def _ids(self):
        return self.ids_

    @_ids.setter
    def _ids(self, array ids not None):
        if ids.typecode != "I":
            raise TypeError(f"ids have the typecode {ids.typecode}, not I")
        self.ids_ = ids

    @property
    def _later(self):
        """What makes the columns that are missing; None where none is."""
        if self.later is None and self.frame is not None:
            self.later = self.frame.later(self.piece)
        if self.fillings is not None:
            for filling, right in self.fillings:
                self.later = self._padded_later(self.later, filling, right)
            self.fillings = None
        return self.later

    @_later.setter
    def _later(self, later):
        self.later = later
        self.fillings = None
        self.frame = None
        self.piece = None
        self.source = None
        self.found = None

    def _set_source(self, Source source not None):
        """What finds the places, as ``_later`` would."""
        self.source = source

    def _pad_late(self, tuple filling not None, bint right):
        """Put padding before or behind the ids; whether the rest can wait.

        ``filling``: how many tokens, their id, type id and text.
        """
        cdef Py_ssize_t missing = filling[0]
        cdef array fill
        if self._read or self.found is not None or (self.frame is None and self.source is None):
            return False
        fill = array("I", (filling[1],)) * missing
        self.ids_ = self.ids_ + fill if right else fill + self.ids_
        if self.fillings is None:
            self.fillings = []
        self.fillings.append((filling, right))
        if right:
            self.pads_after += missing
        else:
            self.pads_before += missing
        return True

    def _padded_later(self, later, filling, right):
        """``later`` with padding."""
        raise NotImplementedError

    @property
    def _overflowing(self):
        if self.overflowing_ is None:
            self.overflowing_ = []
        return self.overflowing_

    @_overflowing.setter
    def _overflowing(self, list overflowing not None):
        self.overflowing_ = overflowing


cdef Places places_of(array words, array starts, array ends):
    """Three arrays (typecode "q") of one length as places."""
    cdef Places places = room_for(len(words))
    cdef Py_ssize_t size = places.count * sizeof(int64_t)
    if len(starts) != places.count or len(ends) != places.count:
        raise ValueError("columns of different lengths")
    memcpy(places.words, words.data.as_longlongs, size)
    memcpy(places.starts, starts.data.as_longlongs, size)
    memcpy(places.ends, ends.data.as_longlongs, size)
    return places
