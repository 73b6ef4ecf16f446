# cython: boundscheck=False, wraparound=False
"""Renderings in which it is followed what the template wrote itself.

A `FollowingMeter` does what a `Meter` does, on texts some of which are `WrittenText`. What
it writes at once (``{{ a + b + c }}``) is not joined before: its parts are `Pieces`.
"""

cimport cython
from cpython.list cimport PyList_GET_SIZE
from cpython.tuple cimport PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_Concat, PyUnicode_Join

from textcore.core.rendering cimport Meter
from textcore.core.templatevars cimport Macro
from textcore.core.written cimport Ranges, WrittenText, new_written

from textcore.core.budget import LimitExceeded

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object) noexcept
    int PyUnicode_KIND(object) noexcept

cdef str EMPTY = ""
# The bytes of a string besides its characters.
cdef Py_ssize_t STRING_OVERHEAD = 56
# A range counts as so many items of a list.
cdef Py_ssize_t RANGE = 2
# How deep in lists and dicts a text is looked for that a template has put there.
cdef int CONTAINERS = 3


cdef inline bint is_text(value) noexcept:
    return type(value) is str or type(value) is WrittenText


cdef bint holds_written(value, int depth):
    """Whether there is text that is followed in plain data."""
    cdef type kind = type(value)
    if kind is WrittenText:
        return 1
    if depth == 0:
        return 0
    if kind is list or kind is tuple:
        for item in value:
            if type(item) is not str and holds_written(item, depth - 1):
                return 1
    elif kind is dict:
        for key, item in (<dict>value).items():
            if type(key) is WrittenText:
                return 1
            if type(item) is not str and holds_written(item, depth - 1):
                return 1
    return 0


@cython.final
@cython.freelist(8)
cdef class Pieces:
    """Texts that are to be written one behind the other; templates never get hold of them."""


cdef class FollowingMeter(Meter):
    """A meter that knows which parts of the prompt the template wrote: ``ranges``.

    ``follow(meter, name, value, args, kwargs, result)`` gives the result of a string's method,
    filter or operator, with what it has from a WrittenText among its operands. The other
    parameters are those of `Meter`.
    """

    def __init__(self, follow, *args):
        Meter.__init__(self, *args)
        self.follow = follow
        self.ranges = Ranges.__new__(Ranges)

    cdef bint has_written(self, value, tuple args, dict kwargs):
        """Whether one of these is text that is followed."""
        if type(value) is WrittenText:
            return 1
        for argument in args:
            if type(argument) is WrittenText:
                return 1
        if kwargs:
            for argument in kwargs.values():
                if type(argument) is WrittenText:
                    return 1
        return 0

    cdef object marked(self, text, list strings):
        """The text that strings make together, with the ranges that they have."""
        cdef Ranges ranges = None
        cdef Ranges more
        cdef Py_ssize_t at = 0
        for piece in strings:
            if type(piece) is WrittenText:
                more = (<WrittenText>piece).ranges
                if more is not None:
                    self.produce_items(RANGE * more.count)
                    if ranges is None:
                        ranges = Ranges.__new__(Ranges)
                    ranges.extend(more, at)
            at += PyUnicode_GET_LENGTH(piece)
        return text if ranges is None else new_written(text, ranges)

    def join_written(self, list strings not None):
        """Strings as one, with the ranges that they have."""
        return self.marked(PyUnicode_Join(EMPTY, strings), strings)

    # -- text

    def text(self, value):
        """``str(value)``, charged."""
        if is_text(value):
            return value
        return self.to_text(value)

    cdef object to_text(self, value):
        if is_text(value):
            return value
        result = Meter.to_text(self, value)
        if holds_written(value, CONTAINERS):
            return self.follow(self, "string", value, (), {}, result)
        return result

    def join_text(self, tuple values):
        """The values of ``a ~ b ~ c`` as one string, charged."""
        cdef list strings = self.texts(values)
        return self.marked(PyUnicode_Join(EMPTY, strings), strings)

    cdef object joined(self, list strings):
        cdef list flat = strings
        cdef bint written = 0
        for piece in strings:
            if type(piece) is Pieces:
                flat = []
                for each in strings:
                    if type(each) is Pieces:
                        flat.extend((<Pieces>each).texts)
                    else:
                        flat.append(each)
                written = 1
                break
            if type(piece) is not str:
                written = 1
        text = Meter.joined(self, flat)
        return self.marked(text, flat) if written else text

    cdef bint take(self, piece, list written) except -1:
        cdef Ranges ranges
        if type(piece) is Pieces:
            for text in (<Pieces>piece).texts:
                if type(text) is str:
                    self.written += PyUnicode_GET_LENGTH(text)
                    if self.written > self.size:
                        self.exceeded("size")
                    written.append(text)
                else:
                    self.take(text, written)
            return 1
        if type(piece) is WrittenText:
            ranges = (<WrittenText>piece).ranges
            if ranges is not None:
                self.produce_items(RANGE * ranges.count)
                self.ranges.extend(ranges, self.written)
        return Meter.take(self, piece, written)

    # -- chains of additions: as many texts as there are, and joined once or not at all

    def chain(self, left, right):
        """``left + right``, to which more is added: Pieces, or what the operator gives."""
        cdef Pieces pieces
        if is_text(left) and is_text(right):
            pieces = Pieces.__new__(Pieces)
            pieces.texts = [left, right]
            pieces.length = PyUnicode_GET_LENGTH(left) + PyUnicode_GET_LENGTH(right)
            self.produce(pieces.length, PyUnicode_KIND(left) | PyUnicode_KIND(right))
            return pieces
        return self.total(left, right)

    def more(self, left, right):
        """``left + right``, where the left side may be Pieces."""
        if type(left) is Pieces:
            if is_text(right):
                self.extend(<Pieces>left, right)
                return left
            left = self.whole(left)
        return self.total(left, right)

    cdef int extend(self, Pieces pieces, text) except -1:
        cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text)
        pieces.length += length
        if pieces.length > self.size:
            raise LimitExceeded("size", self.size)
        self.produce(length, PyUnicode_KIND(text))
        pieces.texts.append(text)
        return 0

    def whole(self, value):
        """What a chain of additions gives."""
        if type(value) is Pieces:
            return self.marked(PyUnicode_Join(EMPTY, (<Pieces>value).texts), (<Pieces>value).texts)
        return value

    def piece(self, value):
        """What a chain of additions writes."""
        return value if type(value) is Pieces else self.text(value)

    def join_pieces(self, tuple values):
        """What ``{{ a ~ b ~ c }}`` writes."""
        cdef Pieces pieces = Pieces.__new__(Pieces)
        pieces.texts = self.texts(values)
        return pieces

    # -- operators

    cdef object total(self, left, right):
        cdef Ranges ranges
        cdef bint from_left = type(left) is WrittenText
        cdef bint from_right = type(right) is WrittenText
        if not (from_left or from_right) or not (is_text(left) and is_text(right)):
            return Meter.total(self, left, right)
        self.produce(
            PyUnicode_GET_LENGTH(left) + PyUnicode_GET_LENGTH(right),
            PyUnicode_KIND(left) | PyUnicode_KIND(right),
        )
        ranges = Ranges.__new__(Ranges)
        if from_left and (<WrittenText>left).ranges is not None:
            self.produce_items(RANGE * (<WrittenText>left).ranges.count)
            ranges.extend((<WrittenText>left).ranges, 0)
        if from_right and (<WrittenText>right).ranges is not None:
            self.produce_items(RANGE * (<WrittenText>right).ranges.count)
            ranges.extend((<WrittenText>right).ranges, PyUnicode_GET_LENGTH(left))
        return new_written(PyUnicode_Concat(left, right), ranges)

    cdef object product(self, left, right):
        result = Meter.product(self, left, right)
        if type(left) is WrittenText or type(right) is WrittenText:
            return self.follow(self, "*", left, (right,), {}, result)
        return result

    cdef object remainder(self, left, right):
        result = Meter.remainder(self, left, right)
        if isinstance(left, str) and (
                type(left) is WrittenText or holds_written(right, CONTAINERS)):
            return self.follow(self, "%", left, (right,), {}, result)
        return result

    cdef object sliced(self, value, start, stop, step):
        result = Meter.sliced(self, value, start, stop, step)
        if type(value) is WrittenText:
            return self.follow(self, "cut", value, (start, stop, step), {}, result)
        return result

    cdef object found(self, value, argument):
        result = Meter.found(self, value, argument)
        if type(value) is WrittenText and type(result) is str and type(argument) is int:
            return self.follow(self, "item", value, (argument,), {}, result)
        return result

    cdef object iterated(self, iterable, Py_ssize_t cost):
        return Meter.iterated(self, self.followed_items(iterable), cost)

    cdef list listed(self, iterable):
        return Meter.listed(self, self.followed_items(iterable))

    cdef object followed_items(self, iterable):
        cdef Py_ssize_t i
        if type(iterable) is not WrittenText:
            return iterable
        self.reserve_items(len(iterable), STRING_OVERHEAD)
        return [iterable.part(i, i + 1) for i in range(len(iterable))]

    # -- calls

    cdef object guarded(self, value, str name, guard, tuple args, dict kwargs):
        result = Meter.guarded(self, value, name, guard, args, kwargs)
        if type(value) is not dict and self.has_written(value, args, kwargs):
            return self.follow(self, name, value, args, kwargs, result)
        return result

    cdef object call_object(self, function, tuple args, dict kwargs):
        result = Meter.call_object(self, function, args, kwargs)
        if (type(result) is str and type(function) is not Macro
                and self.has_written(None, args, kwargs)):
            return self.follow(self, "a call", None, args, kwargs, result)
        return result


def followed_filter(str name not None, run):
    """A filter of Jinja's, which is called with the context, followed."""

    def followed(context, value, /, *args, **kwargs):
        cdef FollowingMeter meter
        if PyTuple_GET_SIZE(args) == 0 and not kwargs:
            if type(value) is str:
                return run(context, value)
            result = run(context, value)
            if type(value) is not WrittenText and not (
                    isinstance(result, str) and holds_written(value, CONTAINERS)):
                return result
            meter = context.meter
        else:
            meter = context.meter
            result = run(context, value, *args, **kwargs)
            if not (meter.has_written(value, args, kwargs) or (
                    isinstance(result, str) and holds_written((value, *args), CONTAINERS))):
                return result
        return meter.follow(meter, name, value, args, kwargs, result)

    return followed
