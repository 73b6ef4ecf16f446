# cython: boundscheck=False, wraparound=False
"""What one rendering of a template may cost, and what values cost to walk through."""

from cpython.dict cimport PyDict_Next
from cpython.list cimport PyList_GET_SIZE
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_SIZE

from textcore.core.templatevars cimport Namespace

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object) noexcept
    int PyUnicode_KIND(object) noexcept

# A list's item counts as so many characters against the limit on a value's size.
cdef Py_ssize_t ITEM_WIDTH = 32
# The bytes that sorting takes for each item.
cdef Py_ssize_t SORTED_WIDTH = 64
cdef tuple DICT_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
cdef type MAPPING_PROXY = type(type.__dict__)


class LimitExceeded(Exception):
    """A template would exceed a limit: ``limit`` names it, ``amount`` is how far it may go."""

    def __init__(self, limit, amount):
        super().__init__(limit, amount)
        self.limit = limit
        self.amount = amount


cdef class Budget:
    """What may still be spent, and what to charge.

    ``work`` units may be spent (one is about one node of the template's syntax tree evaluated).
    No string may be longer than ``size`` characters, nor a list than a 32nd of that many items;
    all that are made together not larger than ``memory`` bytes. No integer may have more than
    ``bits`` bits, and no value may be nested deeper than ``depth``.
    """

    def __init__(
        self, long long work, Py_ssize_t size, long long memory, Py_ssize_t bits, int depth
    ):
        self.work = self.work_limit = work
        self.size = size
        self.memory = self.memory_limit = memory
        self.bits = bits
        self.depth_limit = depth
        self.list_size = size // ITEM_WIDTH

    # What is done most often is in budget.pxd.

    # -- charging

    cdef int exceeded(self, str limit) except -1:
        cdef object amounts = {
            "work": self.work_limit, "memory": self.memory_limit, "size": self.size
        }
        raise LimitExceeded(limit, amounts[limit])

    def charge(self, amount):
        """Spend units of work (an int, however large)."""
        if amount > self.work:
            raise LimitExceeded("work", self.work_limit)
        if amount > 0:
            self.work -= <long long>amount

    def reserve(self, length):
        """Charge a string or list of this length (an int, however large) that will be made."""
        if length > self.size:
            raise LimitExceeded("size", self.size)
        if length > 0:
            self.produce(<Py_ssize_t>length, 4)

    def reserve_items(self, count, width=8):
        """Charge a list of so many items that will be made, each of so many bytes."""
        if count > self.list_size:
            raise LimitExceeded("size", self.size)
        if count > 0:
            self.produce_items(<Py_ssize_t>count)
            self.memory -= <long long>(count * (width - 8))
            if self.memory < 0:
                raise LimitExceeded("memory", self.memory_limit)

    def check_bits(self, value):
        """The integer, if it is not too large; other values as they are."""
        if isinstance(value, int) and value.bit_length() > self.bits:
            raise LimitExceeded("bits", self.bits)
        return value

    # -- measuring

    def measure(self, value):
        """Charge walking through a value; an upper bound of its printed length."""
        return self.weigh(value, 0)

    cdef Py_ssize_t weigh(self, value, int depth) except -1:
        cdef Py_ssize_t total, i
        cdef PyObject* name
        cdef PyObject* entry
        cdef type kind = type(value)
        if kind is str:
            return self.weigh_text(value)
        self.spend(1)
        if value is None or kind is bool:
            return 5
        if kind is int:
            if not self.is_large(value):
                return 21
            i = value.bit_length()
            # Printing takes a time that grows with the square of the length.
            self.spend((i >> 6) * (i >> 6) >> 6)
            return i // 3 + 2
        if kind is float:
            self.spend(8)
            return 26
        if depth >= self.depth_limit:
            raise LimitExceeded("depth", self.depth_limit)
        total = 2
        if kind is dict:
            i = 0
            while PyDict_Next(value, &i, &name, &entry):
                total = self.bounded(
                    total + 4 + self.weigh_item(<object>name, depth + 1)
                    + self.weigh_item(<object>entry, depth + 1)
                )
            return total
        if kind is list:
            for i in range(PyList_GET_SIZE(value)):
                if i >= PyList_GET_SIZE(value):
                    break
                total = self.bounded(total + 2 + self.weigh_item(value[i], depth + 1))
            return total
        if kind is tuple:
            for i in range(PyTuple_GET_SIZE(value)):
                total = self.bounded(total + 2 + self.weigh_item(value[i], depth + 1))
            return total + 1
        if isinstance(value, dict) or kind is MAPPING_PROXY:
            for key, item in value.items():
                total = self.bounded(
                    total + 4 + self.weigh(key, depth + 1) + self.weigh(item, depth + 1)
                )
            return total
        if kind is Namespace:
            return 13 + self.weigh((<Namespace>value).attributes, depth + 1)
        if isinstance(value, str):
            return self.weigh(str.__str__(value), depth) + 10
        if isinstance(value, bytes):
            self.spend(len(value) >> 6)
            return 4 * len(value) + 3
        if isinstance(value, (list, tuple, set, frozenset)) or kind in DICT_VIEWS:
            for item in value:
                total = self.bounded(total + 2 + self.weigh(item, depth + 1))
            return total + 16
        return 128

    def charge_layout(self, value, indent, separators):
        """Charge walking through a value, and what writing it as JSON with this layout adds.

        Each node of the value is indented by ``indent`` characters as many times as it is deep,
        and has ``separators`` characters at most besides.
        """
        cdef Py_ssize_t nodes = 0, depths = 0
        if indent > self.size or separators > self.size:
            self.exceeded("size")
        self.weigh(value, 0)
        self.count_nodes(value, 1, &nodes, &depths)
        self.spend(64 + 16 * nodes)
        if <Py_ssize_t>indent * (depths + nodes) + <Py_ssize_t>separators * nodes > self.size:
            self.exceeded("size")

    def charge_sorting(self, items, Py_ssize_t names):
        """Charge comparing items with each other until they are in order, and a list of them.

        ``names`` is how long the names of attributes are that are looked up in each.
        """
        cdef Py_ssize_t length = self.weigh(items, 0) >> 6
        cdef Py_ssize_t count = len(items)
        cdef Py_ssize_t rounds = 0
        while count >> rounds:
            rounds += 1
        self.spend((1 + length + count * (1 + names)) * rounds)
        self.reserve_items(count, SORTED_WIDTH)

    cdef int count_nodes(
        self, value, int depth, Py_ssize_t* nodes, Py_ssize_t* depths
    ) except -1:
        cdef Py_ssize_t at = 0
        cdef PyObject* entry
        cdef type kind = type(value)
        self.spend(1)
        nodes[0] += 1
        depths[0] += depth
        if depth > self.depth_limit:
            raise LimitExceeded("depth", self.depth_limit)
        if kind is str:
            return 0
        if kind is dict:
            while PyDict_Next(value, &at, NULL, &entry):
                self.count_nodes(<object>entry, depth + 1, nodes, depths)
        elif isinstance(value, dict):
            for item in value.values():
                self.count_nodes(item, depth + 1, nodes, depths)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.count_nodes(item, depth + 1, nodes, depths)
        return 0

    cdef object small(self, value):
        cdef int overflow = 0
        PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow and value.bit_length() > self.bits:
            raise LimitExceeded("bits", self.bits)
        return value

    cdef bint is_large(self, value) except -1:
        cdef int overflow = 0
        PyLong_AsLongLongAndOverflow(value, &overflow)
        return overflow != 0
