# cython: boundscheck=False, wraparound=False
"""What compiled chat templates run on: sandboxed look-ups and metered operations.

A template is untrusted, so each operation that can take time or memory out of proportion to the
template's own text goes through a `Meter`: it charges the operation *before* doing it. The fast
paths are for plain data (dict, list, str, int); everything else goes through the environment's
own checks.

One `Meter` belongs to one rendering, and is not shared between threads.
"""

cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.iterator cimport PyIter_Next
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.number cimport (
    PyNumber_Add,
    PyNumber_FloorDivide,
    PyNumber_Multiply,
    PyNumber_Power,
    PyNumber_Remainder,
    PyNumber_Subtract,
    PyNumber_TrueDivide,
)
from cpython.object cimport Py_EQ, Py_NE, PyObject, PyObject_Call, PyObject_RichCompare
from cpython.ref cimport Py_INCREF
from cpython.sequence cimport PySequence_Contains
from cpython.slice cimport PySlice_New
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_Concat, PyUnicode_Join

from textcore.core.budget cimport Budget
from textcore.core.templatevars cimport (
    LoopContext,
    Macro,
    Namespace,
    enter_iteration,
    leave_iteration,
)
from textcore.core.written cimport WrittenText

from textcore.core.budget import LimitExceeded

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object) noexcept
    int PyUnicode_KIND(object) noexcept
    int PyUnicode_Check(object) noexcept
    int PyUnicode_CheckExact(object) noexcept
    int PyDict_CheckExact(object) noexcept
    int PyList_CheckExact(object) noexcept
    int PyTuple_CheckExact(object) noexcept
    int PyLong_CheckExact(object) noexcept
    int PyCFunction_CheckExact(object) noexcept


cdef str EMPTY = ""
# The bytes of a string besides its characters.
cdef Py_ssize_t STRING_OVERHEAD = 56
# The bytes of a list's item that exists already, and of one that is made for the list: a pair,
# a number, a short string.
cdef Py_ssize_t ITEM = 8
cdef Py_ssize_t NEW_ITEM = 80
# What passing a keyword argument costs, and the bytes that it takes.
cdef Py_ssize_t UNPACKED_COST = 4
cdef Py_ssize_t UNPACKED_WIDTH = 64
# So many strings that a template writes are joined before the next are collected.
cdef Py_ssize_t CHUNK = 4096
cdef frozenset DICT_ATTRIBUTES = frozenset(dir(dict))
cdef frozenset LOOP_ATTRIBUTES = frozenset((
    "index", "index0", "first", "last", "length", "revindex", "revindex0", "previtem",
    "nextitem", "depth", "depth0", "cycle", "changed",
))
cdef tuple SHARED_VIEWS = (type({}.keys()), type({}.values()))
cdef tuple DICT_VIEWS = (*SHARED_VIEWS, type({}.items()))
# Methods of a short string that are cheap, whatever other short strings are passed.
cdef frozenset QUICK_METHODS = frozenset((
    "split", "rsplit", "splitlines", "strip", "lstrip", "rstrip", "startswith", "endswith",
    "find", "rfind", "index", "rindex", "count", "partition", "rpartition", "upper", "lower",
    "title", "capitalize", "casefold", "swapcase", "removeprefix", "removesuffix", "replace",
))
cdef Py_ssize_t SHORT_TEXT = 4096
cdef Py_ssize_t SHORT_ARGUMENT = 64
# A loop over fewer charges than this is paid in advance, so that it runs at full speed.
cdef Py_ssize_t IN_ADVANCE = 1 << 16


cdef class Meter(Budget):
    """The budget of one rendering, and the operations that draw on it.

    ``environment`` is the sandbox for what is not plain data; ``guards`` maps a type to its
    methods (see `method`); ``whole_cost`` is the number of nodes of the whole template. The other
    parameters are those of `Budget`.
    """

    def __init__(
        self, environment, dict guards, generic_guard, long long work, Py_ssize_t size,
        long long memory, Py_ssize_t bits, int depth, long long whole_cost,
    ):
        self.environment = environment
        self.undefined = environment.undefined
        self.guards = guards
        self.generic_guard = generic_guard
        Budget.__init__(self, work, size, memory, bits, depth)
        self.whole_cost = whole_cost
        self.spans = []
        self.spend(whole_cost)

    # -- operands

    def guard(self, value):
        """The value, charged as much as comparing or hashing it can cost."""
        cdef type kind = type(value)
        if kind is int or kind is bool or value is None:
            return value
        if kind is str:
            self.spend(PyUnicode_GET_LENGTH(value) >> 6)
            return value
        self.weigh(value, 0)
        return value

    def container(self, value):
        """The right side of ``in``, charged as much as searching it can cost."""
        cdef type kind = type(value)
        if kind is str:
            self.spend(1 + (PyUnicode_GET_LENGTH(value) >> 5))
            return value
        if kind is dict:
            return value
        if kind is range or isinstance(value, (list, tuple, str, bytes, dict, set, frozenset)):
            if kind is range:
                self.spend(4 * len(value))
            else:
                self.weigh(value, 0)
            return value
        if kind in DICT_VIEWS:
            self.weigh(value, 0)
            return value
        if hasattr(kind, "__next__"):
            return Metered.__new__(Metered, self, value, 1, True)
        return value

    def contains(self, value, container):
        """``value in container``, charged."""
        cdef Py_ssize_t i
        cdef type kind = type(container)
        if type(value) is str and (kind is dict or kind is list):
            self.spend(PyUnicode_GET_LENGTH(value) >> 6)
            if kind is list:
                for i in range(PyList_GET_SIZE(container)):
                    self.weigh_item((<list>container)[i], 1)
        else:
            value = self.guard(value)
            container = self.container(container)
        return PySequence_Contains(container, value) == 1

    def equal(self, left, right):
        """``left == right``, charged."""
        return PyObject_RichCompare(self.guard(left), self.guard(right), Py_EQ)

    def unequal(self, left, right):
        """``left != right``, charged."""
        return PyObject_RichCompare(self.guard(left), self.guard(right), Py_NE)

    # -- text

    def text(self, value):
        """``str(value)``, charged."""
        if type(value) is str:
            return value
        return self.to_text(value)

    cdef object to_text(self, value):
        cdef Py_ssize_t bound
        cdef type kind = type(value)
        if kind is str or kind is WrittenText:
            return value
        if kind is int and -1 <= value <= 9:
            return str(value)
        bound = self.weigh(value, 0)
        if bound // 12 > self.size:
            raise LimitExceeded("size", self.size)
        result = str(value)
        self.produce(STRING_OVERHEAD + PyUnicode_GET_LENGTH(result), PyUnicode_KIND(result))
        return result

    def concat(self, pieces):
        """The strings of a list joined, charged."""
        return self.joined(pieces if type(pieces) is list else list(pieces))

    cdef object joined(self, list strings):
        cdef Py_ssize_t total = 0
        cdef int width = 1
        for piece in strings:
            if not PyUnicode_Check(piece):
                break  # a call or filter block may give anything: joining says what
            total += PyUnicode_GET_LENGTH(piece)
            width |= PyUnicode_KIND(piece)
        self.produce(total, width)
        return PyUnicode_Join(EMPTY, strings)

    def join_text(self, tuple values):
        """The values of ``a ~ b ~ c`` as one string, charged."""
        return PyUnicode_Join(EMPTY, self.texts(values))

    cdef list texts(self, tuple values):
        """The texts of values that are about to be joined, charged."""
        cdef list strings = []
        cdef Py_ssize_t total = 0
        cdef int width = 1
        for value in values:
            text = value if type(value) is str else self.to_text(value)
            total += PyUnicode_GET_LENGTH(text)
            width |= PyUnicode_KIND(text)
            strings.append(text)
        self.produce(total, width)
        return strings

    def collect(self, pieces):
        """Run a template to its end; the text that it writes."""
        cdef list written = []
        cdef list chunks = []
        cdef str problem = None
        for piece in pieces:
            if not self.take(piece, written):
                # A call or filter block may give anything. What comes after it still runs first.
                problem = problem or (
                    f"sequence item {len(chunks) * CHUNK + len(written)}: expected str instance, "
                    f"{type(piece).__name__} found"
                )
            elif PyList_GET_SIZE(written) >= CHUNK:
                chunks.append(PyUnicode_Join(EMPTY, written))
                written = []
        if problem is not None:
            raise TypeError(problem)
        if not chunks:
            return PyUnicode_Join(EMPTY, written)
        chunks.append(PyUnicode_Join(EMPTY, written))
        return PyUnicode_Join(EMPTY, chunks)

    cdef bint take(self, piece, list written) except -1:
        """Add what the template writes next, where it is text; else 0."""
        if not PyUnicode_Check(piece):
            return 0
        self.written += PyUnicode_GET_LENGTH(piece)
        if self.written > self.size:
            raise LimitExceeded("size", self.size)
        written.append(piece)
        return 1

    def generated(self, text):
        """Note that a generation block writes ``text`` next; the text."""
        self.spans.append((self.written, self.written + len(text)))
        return text

    # -- operators: by the C API, as Cython's own word some errors differently

    def add(self, left, right):
        """``left + right``"""
        return self.total(left, right)

    cdef object total(self, left, right):
        if PyUnicode_CheckExact(left) and PyUnicode_CheckExact(right):
            self.produce(
                PyUnicode_GET_LENGTH(left) + PyUnicode_GET_LENGTH(right),
                PyUnicode_KIND(left) | PyUnicode_KIND(right),
            )
            return PyUnicode_Concat(left, right)
        if PyLong_CheckExact(left) and PyLong_CheckExact(right):
            return self.small(PyNumber_Add(left, right))
        if PyList_CheckExact(left) and PyList_CheckExact(right):
            self.produce_items(PyList_GET_SIZE(left) + PyList_GET_SIZE(right))
            return PyNumber_Add(left, right)
        if isinstance(left, str) or isinstance(right, str):
            self.reserve(self.escaped_length(left) + self.escaped_length(right))
        elif isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            self.produce_items(len(left) + len(right))
        elif isinstance(left, bytes) and isinstance(right, bytes):
            self.reserve(len(left) + len(right))
        return PyNumber_Add(left, right)

    cdef object escaped_length(self, value):
        # Adding to a Markup string escapes the other side; one character becomes up to five.
        return 5 * len(value) if isinstance(value, str) else 0

    def sub(self, left, right):
        """``left - right``"""
        if isinstance(left, int) and isinstance(right, int):
            return self.small(PyNumber_Subtract(left, right))
        if not isinstance(left, float):
            self.weigh(left, 0)
            self.weigh(right, 0)
        return PyNumber_Subtract(left, right)

    def mul(self, left, right):
        """``left * right``"""
        return self.product(left, right)

    cdef bint small_numbers(self, left, right) except -1:
        """Whether these are integers with which nothing takes long."""
        return (PyLong_CheckExact(left) and PyLong_CheckExact(right)
                and not self.is_large(left) and not self.is_large(right))

    cdef object product(self, left, right):
        if isinstance(left, int) and isinstance(right, int):
            if self.is_large(left) or self.is_large(right):
                self.charge_digits(left, right)
                if left.bit_length() + right.bit_length() > self.bits:
                    raise LimitExceeded("bits", self.bits)
            return PyNumber_Multiply(left, right)
        if isinstance(left, int):
            self.repeated(right, left)
        elif isinstance(right, int):
            self.repeated(left, right)
        return PyNumber_Multiply(left, right)

    cdef int repeated(self, value, count) except -1:
        if isinstance(value, (str, bytes)):
            self.reserve(len(value) * count)
        elif isinstance(value, (list, tuple)):
            self.reserve_items(len(value) * count)
        return 0

    cdef int charge_digits(self, left, right) except -1:
        # Long multiplication and division cost the product of the lengths.
        self.charge(1 + (left.bit_length() >> 6) * (right.bit_length() >> 6) // 64)
        return 0

    def floordiv(self, left, right):
        """``left // right``"""
        if isinstance(left, int) and isinstance(right, int):
            if not self.small_numbers(left, right):
                self.charge_digits(left, right)
        return PyNumber_FloorDivide(left, right)

    def truediv(self, left, right):
        """``left / right``"""
        if isinstance(left, int) and isinstance(right, int):
            if not self.small_numbers(left, right):
                self.charge_digits(left, right)
        return PyNumber_TrueDivide(left, right)

    def power(self, left, right):
        """``left ** right``"""
        if isinstance(left, int) and isinstance(right, int) and right > 0:
            bits = left.bit_length() * right
            if left not in (-1, 0, 1) and bits > self.bits:
                raise LimitExceeded("bits", self.bits)
            self.charge(1 + ((bits if bits < self.bits else 64) >> 6) ** 2 // 64)
        return PyNumber_Power(left, right, None)

    def mod(self, left, right):
        """``left % right``: a remainder, or a printf-style format."""
        return self.remainder(left, right)

    cdef object remainder(self, left, right):
        if self.small_numbers(left, right):
            return PyNumber_Remainder(left, right)
        if isinstance(left, int) and isinstance(right, int):
            self.charge_digits(left, right)
        elif isinstance(left, (str, bytes)):
            self.generic_guard(self, "%", left, right)
        return PyNumber_Remainder(left, right)

    def cut(self, value, start, stop, step):
        """``value[start:stop:step]``"""
        return self.sliced(value, start, stop, step)

    cdef object sliced(self, value, start, stop, step):
        cdef type kind = type(value)
        if kind is str:
            self.produce(PyUnicode_GET_LENGTH(value), 1)
        elif isinstance(value, (list, tuple)):
            self.produce_items(len(value))
        elif isinstance(value, (str, bytes)):
            self.produce(len(value), 4)
        return value[PySlice_New(start, stop, step)]

    # -- look-ups

    def attr(self, value, str name):
        """``value.name``, as the sandbox allows it."""
        cdef PyObject* found
        cdef type kind = type(value)
        if kind is dict:
            if name not in DICT_ATTRIBUTES:
                found = PyDict_GetItemWithError(value, name)
                if found is not NULL:
                    return <object>found
                return self.undefined(obj=value, name=name)
        elif kind is LoopContext:
            if name in LOOP_ATTRIBUTES:
                return getattr(value, name)
        elif kind is Namespace:
            if not name.startswith("_"):
                found = PyDict_GetItemWithError((<Namespace>value).attributes, name)
                if found is not NULL:
                    return <object>found
                return self.undefined(obj=value, name=name)
        return self.environment.getattr(value, name)

    def item(self, value, argument):
        """``value[argument]``, as the sandbox allows it."""
        return self.found(value, argument)

    cdef object found(self, value, argument):
        cdef PyObject* found
        cdef Py_ssize_t index
        cdef type kind = type(value)
        cdef type key = type(argument)
        if key is str:
            if kind is dict:
                found = PyDict_GetItemWithError(value, argument)
                if found is not NULL:
                    return <object>found
        elif key is int:
            if kind is list:
                index = self.position(argument, PyList_GET_SIZE(value))
                if index >= 0:
                    item = <object>PyList_GET_ITEM(value, index)
                    return item
                return self.undefined(obj=value, name=argument)
        else:
            self.weigh(argument, 0)
        return self.environment.getitem(value, argument)

    cdef Py_ssize_t position(self, argument, Py_ssize_t length) except -2:
        """The index in a sequence, or -1 where it is outside."""
        cdef int overflow = 0
        cdef long long index = PyLong_AsLongLongAndOverflow(argument, &overflow)
        if overflow:
            return -1
        if index < 0:
            index += length
        return index if 0 <= index < length else -1

    def key(self, value):
        """A dict literal's key, charged as much as hashing it can cost."""
        return self.guard(value)

    # -- calls

    def method(self, value, str name, /, *args, **kwargs):
        """``value.name(...)``: the guard of a plain type's method runs before it."""
        cdef dict guards = self.guards.get(type(value))
        cdef PyObject* found
        if guards is not None:
            found = PyDict_GetItemWithError(guards, name)
            if found is not NULL:
                return self.guarded(value, name, <object>found, args, kwargs)
        return self.call_object(self.attr(value, name), args, kwargs)

    cdef object guarded(self, value, str name, guard, tuple args, dict kwargs):
        """Call a method of plain data. Its guard is None for one that costs its length."""
        cdef type kind = type(value)
        cdef bint quick = (kind is str or kind is WrittenText) and (
            guard is None or self.is_quick(value, name, args, kwargs)
        )
        if quick:
            self.spend(1 + (PyUnicode_GET_LENGTH(value) >> 2))
        elif kind is dict and guard is None:
            for argument in args:
                self.guard(argument)
        elif guard is not None:
            self.spend(8)
            result = guard(self, value, name, args, kwargs)
            if result is not NotImplemented:
                return result
        if PyTuple_GET_SIZE(args) == 0 and not kwargs:
            result = getattr(value, name)()
        else:
            result = PyObject_Call(getattr(value, name), args, kwargs)
        kind = type(result)
        if kind is str:
            self.memory -= <long long>PyUnicode_GET_LENGTH(result) * PyUnicode_KIND(result)
            if self.memory < 0:
                raise LimitExceeded("memory", self.memory_limit)
        elif kind is list:
            # Pieces of a string; where there may be many, its guard has charged the strings.
            self.produce_items(PyList_GET_SIZE(result))
            if quick:
                self.memory -= STRING_OVERHEAD * PyList_GET_SIZE(result)
                if self.memory < 0:
                    raise LimitExceeded("memory", self.memory_limit)
        return result

    cdef bint is_quick(self, value, str name, tuple args, dict kwargs):
        if kwargs or PyUnicode_GET_LENGTH(value) > SHORT_TEXT or name not in QUICK_METHODS:
            return False
        for argument in args:
            if type(argument) is not str or PyUnicode_GET_LENGTH(argument) > SHORT_ARGUMENT:
                return False
        return True

    def call(self, function, /, *args, **kwargs):
        """``function(...)``"""
        return self.call_object(function, args, kwargs)

    cdef object call_object(self, function, tuple args, dict kwargs):
        cdef type kind = type(function)
        cdef dict guards
        if self.depth >= self.depth_limit:
            raise LimitExceeded("depth", self.depth_limit)
        self.depth += 1
        try:
            if kind is Macro:
                self.spend((<Macro>function).cost)
                return (<Macro>function).invoke(args, kwargs)
            self.spend(4)
            if kind is LoopContext:
                return self.call_loop(<LoopContext>function, args, kwargs)
            if PyCFunction_CheckExact(function):
                return self.call_builtin(function, args, kwargs)
            return self.generic_guard(self, "()", function, (args, kwargs))
        except StopIteration:
            return self.undefined(
                "value was undefined because a callable raised a StopIteration exception"
            )
        finally:
            self.depth -= 1

    cdef object call_loop(self, LoopContext loop, tuple args, dict kwargs):
        iterable = self.iterated(loop.recurse(args, kwargs), self.whole_cost)
        return loop.recursion(iterable, loop.recursion, depth=loop.depth0 + 1)

    cdef object call_builtin(self, function, tuple args, dict kwargs):
        owner = function.__self__
        cdef str name = function.__name__
        cdef dict guards = self.guards.get(type(owner))
        cdef PyObject* found
        if guards is not None:
            found = PyDict_GetItemWithError(guards, name)
            if found is not NULL:
                return self.guarded(owner, name, <object>found, args, kwargs)
        return self.generic_guard(self, "()", function, (args, kwargs))

    # -- loops

    def loop(self, iterable, Py_ssize_t cost):
        """The iterable, with each iteration charged: in advance where that is cheap."""
        return self.iterated(iterable, cost)

    cdef object iterated(self, iterable, Py_ssize_t cost):
        cdef Py_ssize_t length
        cdef type kind = type(iterable)
        if kind is list:
            length = PyList_GET_SIZE(iterable)
        elif kind is tuple:
            length = PyTuple_GET_SIZE(iterable)
        elif kind is str or kind is dict or kind is range or kind in DICT_VIEWS:
            length = len(iterable)
        elif isinstance(iterable, self.undefined) or not hasattr(kind, "__iter__"):
            return iterable
        else:
            return Metered.__new__(Metered, self, iterable, cost, False)
        if length * cost <= IN_ADVANCE:
            self.spend(length * cost)
            return iterable
        return Metered.__new__(Metered, self, iterable, cost, False)

    def items(self, value):
        """What a loop over ``value|items`` goes through."""
        if type(value) is dict:
            return (<dict>value).items()
        return self.environment.filters["items"](value)

    def items_of(self, iterable):
        """A list of what an iterable yields, charged."""
        return self.listed(iterable)

    cdef list listed(self, iterable):
        if PyList_CheckExact(iterable) or PyTuple_CheckExact(iterable):
            self.produce_items(len(iterable))
            return list(iterable)
        cdef list result = []
        # A dict's keys and values exist; anything else may make each item as it goes.
        cdef type kind = type(iterable)
        cdef Py_ssize_t width = ITEM if kind is dict or kind in SHARED_VIEWS else NEW_ITEM
        for item in self.iterated(iterable, 1):
            if PyList_GET_SIZE(result) >= self.list_size:
                raise LimitExceeded("size", self.size)
            self.memory -= width
            if self.memory < 0:
                raise LimitExceeded("memory", self.memory_limit)
            result.append(item)
        return result

    def unpacked(self, values):
        """What ``*values`` passes to a call, charged."""
        return self.listed(values) if hasattr(type(values), "__iter__") else values

    def unpacked_dict(self, values):
        """What ``**values`` passes to a call, charged."""
        if isinstance(values, dict):
            # On its way to a function, it is copied and its names are compared.
            self.spend(UNPACKED_COST * len(values))
            self.reserve_items(len(values), UNPACKED_WIDTH)
        return values


@cython.final
@cython.trashcan(True)
cdef class Metered:
    """An iterator that charges each of its items, and can weigh them."""

    cdef Meter meter
    cdef object iterable
    cdef object iterator
    cdef Py_ssize_t cost
    cdef bint weighs

    def __cinit__(self, Meter meter, iterable, Py_ssize_t cost, bint weighs):
        self.meter = meter
        self.iterable = iterable
        self.iterator = None
        self.cost = cost
        self.weighs = weighs

    def __iter__(self):
        return self

    def __next__(self):
        if self.iterator is None:
            self.iterator = iter(self.iterable)
        self.meter.spend(self.cost)
        enter_iteration()
        try:
            item = next(self.iterator)
        finally:
            leave_iteration()
        if self.weighs:
            self.meter.weigh(item, 0)
        return item

    def __len__(self):
        return len(self.iterable)

    def __bool__(self):
        return bool(self.iterable)
