"""The calls that may be over in a tenth of a microsecond, from Python's side in.

A short text is encoded in less time than Python needs to enter a function of its own, so these
methods of a Tokenizer are compiled. What is rare goes on in the subclass.
"""

cimport cython

from .added cimport AddedMatcher
from .deferred cimport Deferred, Fit, Frame, PairFrame
from .encode cimport Encoder

cdef extern from "Python.h":
    object PyUnicode_FromObject(object text)

# What `allowed_special` is where nothing is given.
cdef str ALL = "all"


cdef inline str _text(object text):
    """A text as an exact str. Raises TypeError for what is none."""
    if type(text) is str:
        return <str>text
    if isinstance(text, str):
        return PyUnicode_FromObject(text)
    raise TypeError(f"expected a str, not {type(text).__name__}")


cdef class EncodeCalls:
    """The part of a Tokenizer that encodes one text; ``_set_up`` comes first.

    What is rare is for a subclass to do, by the methods at the end.
    """

    cdef readonly Encoder _encoder
    cdef AddedMatcher _first
    cdef AddedMatcher _second
    cdef Fit _own                   # how encodings are cut and filled by the file; None: not
    cdef tuple _asked               # what was last asked instead
    cdef Fit _fit                   # and what that comes to
    # Without and with what the post-processor adds; None: that depends on the texts.
    cdef bint _framing              # these have been asked for
    cdef Frame _bare
    cdef Frame _filled
    cdef PairFrame _bare_pair
    cdef PairFrame _filled_pair

    def _set_up(self, Encoder encoder, AddedMatcher first, AddedMatcher second, Fit own):
        """The encoder (None: there is none), and what finds all added tokens.

        ``own``: how encodings are cut and filled where nothing else is asked for; None: not.
        """
        self._encoder = encoder
        self._first = first
        self._second = second
        self._own = own

    # A method as C has them: what Cython makes of a bound one takes 4 ns more to call.
    @cython.binding(False)
    @cython.embedsignature(True)
    @cython.embedsignature.format("clinic")
    def encode(self, text, *, bint add_special_tokens=False, allowed_special="all"):
        """The ids of a text.

        Parameters
        ----------
        text : str
        add_special_tokens : bool
            Add what the file's post-processor adds (BOS, EOS, …). Off by default: a chat
            template writes its own, and a doubled BOS is a common bug.
        allowed_special : "all", "none" or a collection of str
            Which added tokens may be recognised in the text; others are encoded as the
            ordinary text that they are.

        Raises
        ------
        TextError
            The text has a lone surrogate.
        """
        cdef AddedMatcher first, second
        # Most calls are these, and one of them may be over before this function is set up.
        if self._encoder is not None and not add_special_tokens and allowed_special is ALL:
            quick = self._encoder.quick_list(text, self._first, self._second)
            if quick is not None:
                return quick
        first, second = self._first, self._second
        if allowed_special != "all":
            first, second = self._matchers(allowed_special)
        if self._encoder is None:
            ids = self._aligned_ids(_text(text), first, second)
        else:
            try:
                ids = self._encoder.to_list(_text(text), first, second)
            except UnicodeEncodeError as error:
                raise self._surrogate(error) from None
        return self._with_special(ids) if add_special_tokens else ids

    def encode_to_numpy(self, text, *, bint add_special_tokens=False, allowed_special="all"):
        """:meth:`encode` as a numpy array of uint32, one dimension (needs numpy)."""
        cdef AddedMatcher first = self._first, second = self._second
        if add_special_tokens or self._encoder is None:
            import numpy

            ids = self.encode(
                text, add_special_tokens=add_special_tokens, allowed_special=allowed_special
            )
            return numpy.array(ids, dtype=numpy.uint32)
        if allowed_special != "all":
            first, second = self._matchers(allowed_special)
        try:
            return self._encoder.to_array(_text(text), first, second)
        except UnicodeEncodeError as error:
            raise self._surrogate(error) from None

    def count(self, text, *, bint add_special_tokens=False, allowed_special="all"):
        """How many ids :meth:`encode` gives for a text, without making them."""
        cdef AddedMatcher first = self._first, second = self._second
        cdef Py_ssize_t quick
        if self._encoder is not None and not add_special_tokens and allowed_special is ALL:
            quick = self._encoder.quick_count(text, first, second)
            if quick >= 0:
                return quick
        if add_special_tokens:
            added = self._affix_size()
            if added is None:
                return len(
                    self.encode(text, add_special_tokens=True, allowed_special=allowed_special)
                )
            return added + self.count(text, allowed_special=allowed_special)
        if allowed_special != "all":
            first, second = self._matchers(allowed_special)
        if self._encoder is None:
            return len(self._aligned_ids(_text(text), first, second))
        try:
            return self._encoder.count_ids(_text(text), first, second)
        except UnicodeEncodeError as error:
            raise self._surrogate(error) from None

    def encoding(self, text, pair=None, *, bint add_special_tokens=True, allowed_special="all",
                 bint is_pretokenized=False, truncation=None, max_length=None, stride=None,
                 truncation_side=None, padding=None, pad_to_multiple_of=None, padding_side=None,
                 pad_id=None, pad_type_id=None, pad_token=None):
        """All that is known of a text's tokens: ids, tokens, offsets, masks, word ids.

        ``pair`` is a second sequence. The others are as in :meth:`encoding_batch`, which see.
        Offsets are in characters of the original text.
        """
        cdef AddedMatcher first = self._first, second = self._second
        cdef Fit fit = self._own
        cdef Deferred done = None
        cdef bint usual = (
            max_length is None and stride is None and truncation_side is None
            and pad_to_multiple_of is None and padding_side is None and pad_id is None
            and pad_type_id is None and pad_token is None)
        if usual and truncation is False and padding is False:
            fit = None
        elif not usual or truncation is not None or padding is not None:
            fit = self._chosen((truncation, max_length, stride, truncation_side, padding,
                                pad_to_multiple_of, padding_side, pad_id, pad_type_id, pad_token))
        if allowed_special != "all":
            first, second = self._matchers(allowed_special)
        if type(text) is not str or is_pretokenized or self._encoder is None:
            return self._other_encoding(text, pair, add_special_tokens, first, second,
                                        is_pretokenized, fit)
        if not self._framing:
            self._bare, self._filled = self._frame(False), self._frame(True)
            self._bare_pair, self._filled_pair = self._pair_frame(False), self._pair_frame(True)
            self._framing = True
        try:
            if pair is None:
                done = self._alone(<str>text, add_special_tokens, first, second, fit)
            elif type(pair) is str:
                done = self._paired(<str>text, <str>pair, add_special_tokens, first, second, fit)
        except UnicodeEncodeError as error:
            raise self._surrogate(error) from None
        if done is not None:
            return done
        return self._other_encoding(text, pair, add_special_tokens, first, second, False, fit)

    cdef Deferred _alone(self, str text, bint add_special_tokens, AddedMatcher first,
                         AddedMatcher second, Fit fit):
        cdef Frame frame = self._filled if add_special_tokens else self._bare
        return None if frame is None else frame.encode(text, first, second, fit)

    cdef Deferred _paired(self, str text, str pair, bint add_special_tokens, AddedMatcher first,
                          AddedMatcher second, Fit fit):
        cdef PairFrame frame = self._filled_pair if add_special_tokens else self._bare_pair
        return None if frame is None else frame.encode(text, pair, first, second, fit)

    cdef Fit _chosen(self, tuple asked):
        """How to cut and fill by what is asked, most often the same again and again."""
        cdef tuple last = self._asked
        cdef Fit fit = self._fit
        cdef int i
        if last is not None:
            for i in range(10):
                if asked[i] is not last[i]:
                    break
            else:
                return fit
        fit = self._fit_of(*asked)
        with cython.critical_section(self):
            self._asked, self._fit = asked, fit
        return fit

    # ------------------------------------------------------------ of a subclass

    def _frame(self, add_special_tokens):
        """What makes encodings of single texts; None where that depends on them."""
        raise NotImplementedError

    def _pair_frame(self, add_special_tokens):
        """What makes encodings of pairs of texts; None where that depends on them."""
        raise NotImplementedError

    def _fit_of(self, truncation, max_length, stride, truncation_side, padding,
                pad_to_multiple_of, padding_side, pad_id, pad_type_id, pad_token):
        """How encodings are cut and filled by these keywords."""
        raise NotImplementedError

    def _other_encoding(self, text, pair, add_special_tokens, first, second, is_pretokenized, fit):
        """The encoding of any input, cut and filled by a Fit, or None for neither."""
        raise NotImplementedError

    def _matchers(self, allowed):
        """What finds the added tokens of ``allowed_special``: in the text, in the normalized."""
        raise NotImplementedError

    def _aligned_ids(self, text, first, second):
        """The ids of a text where there is no encoder."""
        raise NotImplementedError

    def _with_special(self, ids):
        """Ids with those that the post-processor adds."""
        raise NotImplementedError

    def _affix_size(self):
        """How many these are, of whatever text; None where that depends on it."""
        raise NotImplementedError

    def _surrogate(self, error):
        """The error that is raised in place of a UnicodeEncodeError."""
        raise NotImplementedError
