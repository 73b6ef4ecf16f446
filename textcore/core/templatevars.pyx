# cython: boundscheck=False, wraparound=False
"""Objects that templates see besides plain data: loops, namespaces, macros.

They have the attributes of Jinja's own, and none that leads out of a template. What they do is
charged by the `Meter` (textcore.core.rendering) that calls them.
"""

cimport cython
from cpython.object cimport PyObject_Call
from cpython.tuple cimport PyTuple_GET_SIZE

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char*) noexcept
    void Py_LeaveRecursiveCall() noexcept


cdef int enter_iteration() except -1:
    # It sets an error and returns -1 or 1, as the version of Python has it.
    return -1 if Py_EnterRecursiveCall(" while iterating") != 0 else 0


cdef void leave_iteration() noexcept:
    Py_LeaveRecursiveCall()


cdef object MISSING = object()


@cython.final
@cython.trashcan(True)
cdef class LoopContext:
    """The ``loop`` variable of a for loop; its attributes are Jinja's."""

    def __init__(self, iterable, undefined, recurse=None, Py_ssize_t depth0=0):
        self.iterable = iterable
        self.iterator = iter(iterable)
        self.make_undefined = undefined
        self.recursion = recurse
        self.depth0 = depth0
        self.index0 = -1
        self.known_length = -1
        self.after = self.current = self.before = self.last_changed = MISSING

    cdef object advance(self):
        enter_iteration()
        try:
            return next(self.iterator)
        finally:
            leave_iteration()

    def __iter__(self):
        return self

    def __next__(self):
        if self.after is not MISSING:
            item = self.after
            self.after = MISSING
        else:
            item = self.advance()
        self.index0 += 1
        self.before = self.current
        self.current = item
        return item, self

    cdef object peek(self):
        if self.after is MISSING:
            try:
                self.after = self.advance()
            except StopIteration:
                pass
        return self.after

    cdef Py_ssize_t count(self) except -1:
        cdef list rest
        if self.known_length < 0:
            try:
                self.known_length = len(self.iterable)
            except TypeError:
                rest = list(self.iterator)
                self.iterator = iter(rest)
                self.known_length = len(rest) + self.index0 + 1 + (self.after is not MISSING)
        return self.known_length

    def __len__(self):
        return self.count()

    @property
    def length(self):
        return self.count()

    @property
    def depth(self):
        return self.depth0 + 1

    @property
    def index(self):
        return self.index0 + 1

    @property
    def revindex0(self):
        return self.count() - self.index0 - 1

    @property
    def revindex(self):
        return self.count() - self.index0

    @property
    def first(self):
        return self.index0 == 0

    @property
    def last(self):
        return self.peek() is MISSING

    @property
    def previtem(self):
        if self.index0 == 0:
            return self.make_undefined("there is no previous item")
        return self.before

    @property
    def nextitem(self):
        item = self.peek()
        return self.make_undefined("there is no next item") if item is MISSING else item

    def cycle(self, *args):
        """The argument whose turn it is. Raises TypeError without any."""
        if not args:
            raise TypeError("no items for cycling given")
        return args[self.index0 % len(args)]

    def changed(self, *value):
        """Whether the values differ from those of the call before."""
        if self.last_changed is MISSING or self.last_changed != value:
            self.last_changed = value
            return True
        return False

    cdef object recurse(self, tuple args, dict kwargs):
        """The iterable of a recursive call, after the checks that it is one."""
        if self.recursion is None:
            raise TypeError(
                "The loop must have the 'recursive' marker to be called recursively."
            )
        if len(args) != 1 or kwargs:
            raise TypeError("a recursive loop is called with one iterable")
        return args[0]

    def __call__(self, iterable):
        raise TypeError("a loop is called by its template only")

    def __repr__(self):
        return f"<LoopContext {self.index0 + 1}/{self.count()}>"


@cython.final
@cython.trashcan(True)
cdef class Namespace:
    """``namespace``: an object whose attributes a template may set, private names excepted."""

    def __cinit__(self, dict attributes, refuse):
        self.refuse = refuse
        self.attributes = attributes
        for name in attributes:
            if isinstance(name, str) and name.startswith("_"):
                refuse(name)

    def __setitem__(self, str name, value):
        if name.startswith("_"):
            self.refuse(name)
        self.attributes[name] = value

    def __getattr__(self, name):
        try:
            return self.attributes[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return f"<Namespace {self.attributes!r}>"


@cython.final
@cython.trashcan(True)
cdef class Macro:
    """A template's macro or call block; its attributes are Jinja's."""

    def __init__(
        self, context, function, name, tuple arguments, bint catch_kwargs, bint catch_varargs,
        bint caller, Py_ssize_t cost, markup,
    ):
        self.context = context
        self.undefined = context.environment.undefined
        self.function = function
        self.name = name
        self.arguments = arguments
        self.catch_kwargs = catch_kwargs
        self.catch_varargs = catch_varargs
        self.caller = caller
        self.explicit_caller = "caller" in arguments
        self.cost = cost
        self.markup = markup

    cdef object invoke(self, tuple args, dict kwargs):
        cdef Py_ssize_t expected = PyTuple_GET_SIZE(self.arguments)
        cdef Py_ssize_t given = PyTuple_GET_SIZE(args)
        cdef list values = list(args[:expected]) if given > expected else list(args)
        cdef bint found_caller = self.explicit_caller if given >= expected else False
        cdef Py_ssize_t i
        missing = self.context.missing
        if given < expected:
            for i in range(given, expected):
                name = self.arguments[i]
                values.append(kwargs.pop(name, missing))
                if name == "caller":
                    found_caller = True
        if self.caller and not found_caller:
            caller = kwargs.pop("caller", None)
            if caller is None:
                caller = self.undefined("No caller defined", name="caller")
            values.append(caller)
        if self.catch_kwargs:
            values.append(kwargs)
        elif kwargs:
            self.refuse(kwargs)
        if self.catch_varargs:
            values.append(args[expected:])
        elif given > expected:
            raise TypeError(
                f"macro {self.name!r} takes not more than {expected} argument(s)"
            )
        result = PyObject_Call(self.function, tuple(values), None)
        return self.markup(result) if self.context.eval_ctx.autoescape else result

    cdef int refuse(self, dict kwargs) except -1:
        if "caller" in kwargs:
            raise TypeError(
                f"macro {self.name!r} was invoked with two values for the special caller "
                "argument. This is most likely a bug."
            )
        raise TypeError(
            f"macro {self.name!r} takes no keyword argument {next(iter(kwargs))!r}"
        )

    def __call__(self, *args, **kwargs):
        return self.context.meter.call(self, *args, **kwargs)

    def __repr__(self):
        name = "anonymous" if self.name is None else repr(self.name)
        return f"<Macro {name}>"
