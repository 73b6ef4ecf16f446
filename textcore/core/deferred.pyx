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

    cdef object later(self):
        """What makes the columns besides ids and places, or None: see ``Deferred._later``."""
        return None


cdef class Joined(Source):
    """Two texts among other tokens."""

    cdef PairFrame frame
    cdef Encoded one, other
    cdef array ids

    cdef Places places(self, Py_ssize_t before, Py_ssize_t after):
        cdef Places found = room_for(before + len(self.ids) + after)
        cdef Py_ssize_t at = before
        cdef Encoded piece
        cdef int number
        put_nowhere(found, 0, found.count)
        for number in self.frame.sequences:
            if number < 0:
                at += 1
                continue
            piece = self.other if number else self.one
            if not self.frame.finding.place(piece, found, at, True):
                return None
            at += len(piece.ids)
        return found

    cdef object later(self):
        return self.frame.make((self.one, self.other))


cdef class PairFrame:
    """Makes encodings of pairs of texts, among tokens that are always the same.

    Parameters
    ----------
    encoder : Encoder
    finding : Finding
    tokens, sequences : array of typecode "I", array of typecode "i"
        For each place a token, or the number of a text, 0 or 1; that is -1 for a token.
    made : type
        A subclass of :class:`Deferred`.
    later : callable (pair of Encoded) -> object
        What makes the columns besides ids and places: see ``Deferred._later``.
    """

    def __init__(self, Encoder encoder not None, Finding finding not None, array tokens not None,
                 array sequences not None, type made not None, later):
        if tokens.typecode != "I" or sequences.typecode != "i" or len(tokens) != len(sequences):
            raise ValueError("places are two arrays of typecodes I and i and of one length")
        if not issubclass(made, Deferred):
            raise TypeError(f"{made.__name__} is no subclass of Deferred")
        self.encoder, self.finding = encoder, finding
        self.tokens, self.sequences = tokens, sequences
        self.made, self.make = made, later

    def encoded(self, str text not None, str pair not None, AddedMatcher first,
                AddedMatcher second, Fit fit):
        """The encoding of a pair; None where it has to be cut."""
        return self.encode(text, pair, first, second, fit)

    cdef Deferred encode(self, str text, str pair, AddedMatcher first, AddedMatcher second,
                         Fit fit):
        cdef Joined source = Joined.__new__(Joined)
        cdef Encoded piece
        cdef Deferred new
        cdef Py_ssize_t at = 0, i, count = 0
        cdef const int *sequences = self.sequences.data.as_ints
        source.frame = self
        source.one = encoded(self.encoder, text, first, second, _no_ids, _no_ids)
        source.other = encoded(self.encoder, pair, first, second, _no_ids, _no_ids)
        for i in range(len(self.sequences)):
            if sequences[i] < 0:
                count += 1
            else:
                count += len((source.other if sequences[i] else source.one).ids)
        if fit is not None and fit.cuts and not 0 < count <= fit.max_length:
            return None
        source.ids = clone(_no_ids, count, zero=False)
        for i in range(len(self.sequences)):
            if sequences[i] < 0:
                source.ids.data.as_uints[at] = self.tokens.data.as_uints[i]
                at += 1
                continue
            piece = source.other if sequences[i] else source.one
            memcpy(source.ids.data.as_uints + at, piece.ids.data.as_uints,
                   len(piece.ids) * sizeof(uint32_t))
            at += len(piece.ids)
        new = <Deferred>tc_new(self.made, _nothing)
        new.ids_ = source.ids
        new.source = source
        if fit is not None:
            fit.fill(new, fit.target(len(new.ids_)))
        return new


cdef class Fit:
    """How encodings are cut and filled, of a ``fitting`` that a subclass knows.

    Parameters
    ----------
    fitting : object
    cutting : tuple of (int, int, bool, bool), or None
        The most tokens there may be, how many of them pieces share, whether it is the left side
        that is cut off, and whether a single text can be cut.
    filling : tuple of (int, int, bool, tuple), or None
        The least tokens there may be (-1: those that there are), a number that they are made a multiple of (0: no matter),
        whether padding is behind them, and its id, type id and text.
    """

    def __init__(self, fitting, tuple cutting, tuple filling):
        self.fitting = fitting
        if cutting is not None:
            self.cuts = True
            self.max_length, self.stride, self.left, self.alone = cutting
        if filling is not None:
            self.fills = True
            self.length, self.multiple, self.right, self.padding = filling

    cdef Py_ssize_t target(self, Py_ssize_t size) noexcept:
        """How long an encoding of so many tokens is in the end."""
        cdef Py_ssize_t length
        if not self.fills:
            return size
        # That of the longest is that of the only one.
        length = size if self.length < 0 else self.length
        if self.multiple:
            length += (self.multiple - length % self.multiple) % self.multiple
        return length

    cdef int fill(self, Deferred encoding, Py_ssize_t length) except -1:
        """Put padding where it belongs."""
        cdef Py_ssize_t missing = length - len(encoding.ids_)
        if self.fills and missing > 0:
            encoding._pad_late((missing, *self.padding), self.right)
        return 0


cdef class Whole:
    """A text of which several parts become encodings: its places, not trimmed, found once."""

    cdef Finding finding
    cdef Encoded piece
    cdef Places found
    cdef bint looked
    cdef object shared              # what later columns of the parts have in common, or None

    cdef Places places(self):
        cdef Places found
        cdef Encoded piece = self.piece
        if not self.looked:
            found = room_for(len(piece.ids) - piece.front - piece.back)
            if self.finding.place(piece, found, 0, False):
                self.found = found
            self.looked = True
        return self.found


cdef class Slice(Source):
    """Some tokens of a text between those of a frame."""

    cdef Frame frame
    cdef Whole whole
    cdef Py_ssize_t start, stop

    cdef Places places(self, Py_ssize_t before, Py_ssize_t after):
        cdef Places known = self.whole.places(), found
        cdef Py_ssize_t at = before + len(self.frame.before), count = self.stop - self.start, odd
        cdef Py_ssize_t size = count * sizeof(int64_t)
        cdef Trimmer trimmer = self.whole.finding.trimmer
        if known is None:
            return None
        found = room_for(at + count + len(self.frame.after) + after)
        put_nowhere(found, 0, at)
        put_nowhere(found, at + count, found.count)
        memcpy(found.words + at, known.words + self.start, size)
        memcpy(found.starts + at, known.starts + self.start, size)
        memcpy(found.ends + at, known.ends + self.start, size)
        if known.odd:
            found.odd = [(odd - self.start + at, token) for odd, token in known.odd
                         if self.start <= odd < self.stop]
        if trimmer is not None:
            trimmer.run(found, <const uint32_t *>self.whole.piece.ids.data.as_uints
                        + self.whole.piece.front + self.start, at, count)
        return found

    cdef object later(self):
        if self.whole.shared is None:
            self.whole.shared = self.frame.share(self.whole.piece)
        return self.frame.cut(self.whole.shared, self.start, self.stop)


cdef Deferred sliced(Frame frame, Whole whole, Py_ssize_t start, Py_ssize_t stop):
    """The encoding of some tokens of a text."""
    cdef Slice source = Slice.__new__(Slice)
    cdef Deferred new = <Deferred>tc_new(frame.made, _nothing)
    cdef Py_ssize_t front = len(frame.before), back = len(frame.after), count = stop - start
    cdef array ids = clone(_no_ids, front + count + back, zero=False)
    cdef uint32_t *out = <uint32_t *>ids.data.as_uints
    memcpy(out, frame.before.data.as_uints, front * sizeof(uint32_t))
    memcpy(out + front, whole.piece.ids.data.as_uints + whole.piece.front + start,
           count * sizeof(uint32_t))
    memcpy(out + front + count, frame.after.data.as_uints, back * sizeof(uint32_t))
    source.frame, source.whole, source.start, source.stop = frame, whole, start, stop
    new.ids_ = ids
    new.source = source
    return new


cdef class Rest:
    """The pieces that were cut off a text, made when they are asked for."""

    cdef Frame frame
    cdef Whole whole
    cdef Fit fit
    cdef Py_ssize_t count, room, target

    def __call__(self):
        cdef list done = []
        cdef Py_ssize_t step = self.room - self.fit.stride, start, stop
        cdef Deferred piece
        if self.fit.left:
            start, stop = self.count - self.room, self.count - step
        else:
            start, stop = step, self.room
        while (start > 0) if self.fit.left else (stop < self.count):
            if self.fit.left:
                start = max(stop - self.room, 0)
            else:
                stop = min(start + self.room, self.count)
            piece = sliced(self.frame, self.whole, start, stop)
            self.fit.fill(piece, self.target)
            done.append(piece)
            if self.fit.left:
                stop -= step
            else:
                start += step
        return done


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
    share, cut : callable (Encoded) -> object, callable (object, start, stop) -> object
        The same of some of its tokens, by what all such have in common.
    """

    def __init__(self, Encoder encoder not None, Finding finding not None, array before not None,
                 array after not None, type made not None, later, share, cut):
        if not issubclass(made, Deferred):
            raise TypeError(f"{made.__name__} is no subclass of Deferred")
        self.encoder, self.finding = encoder, finding
        self.before, self.after = before, after
        self.made, self.later, self.share, self.cut = made, later, share, cut

    def set_rest(self, Frame rest):
        """The frame of what is cut off; without it, nothing can be cut."""
        self.rest = rest

    def encoded(self, str text not None, AddedMatcher first, AddedMatcher second, Fit fit):
        """The encoding of a text; None where it can't be cut like that.

        Raises UnicodeEncodeError for a lone surrogate.
        """
        return self.encode(text, first, second, fit)

    cdef Deferred encode(self, str text, AddedMatcher first, AddedMatcher second, Fit fit):
        cdef Deferred new
        cdef Encoded piece = encoded(self.encoder, text, first, second, self.before, self.after)
        cdef Py_ssize_t size = len(piece.ids)
        if fit is not None and fit.cuts and not 0 < size <= fit.max_length:
            new = self._cut(piece, fit)
            if new is None:
                return None
        else:
            new = <Deferred>tc_new(self.made, _nothing)
            new.ids_ = piece.ids
            new.frame = self
            new.piece = piece
        if fit is not None:
            fit.fill(new, fit.target(len(new.ids_)))
        return new

    cdef Deferred _cut(self, Encoded piece, Fit fit):
        """The first part of a text, which knows of the others; None where it can't be cut."""
        cdef Py_ssize_t added = len(self.before) + len(self.after)
        cdef Py_ssize_t room = fit.max_length - added, count = len(piece.ids) - added
        cdef Deferred new
        cdef Whole whole
        cdef Rest rest
        if self.rest is None or not fit.alone or not fit.stride < room < count:
            return None
        whole = Whole.__new__(Whole)
        whole.finding, whole.piece = self.finding, piece
        rest = Rest.__new__(Rest)
        rest.frame, rest.whole, rest.fit = self.rest, whole, fit
        rest.count, rest.room, rest.target = count, room, fit.target(fit.max_length)
        if fit.left:
            new = sliced(self, whole, count - room, count)
        else:
            new = sliced(self, whole, 0, room)
        new.pending = rest
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
        if self.later is None:
            if self.frame is not None:
                self.later = self.frame.later(self.piece)
            elif self.source is not None:
                self.later = self.source.later()
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
            self.overflowing_ = [] if self.pending is None else self.pending()
            self.pending = None
        return self.overflowing_

    @_overflowing.setter
    def _overflowing(self, list overflowing not None):
        self.overflowing_ = overflowing
        self.pending = None

    def _defer_overflowing(self, pending):
        """Pieces that ``pending`` makes when they are asked for."""
        self.overflowing_ = None
        self.pending = pending

    @property
    def _pending(self):
        """What makes the overflowing pieces; None where they are there."""
        return self.pending


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
