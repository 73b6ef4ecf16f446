"""GPT-2's printable stand-ins of bytes: the one place that knows which is which."""


cdef inline int byte_of(Py_UCS4 character) noexcept nogil:
    """The byte that a character stands for, or -1."""
    cdef int c = <int>character
    if 0x21 <= c <= 0x7E or 0xA1 <= c <= 0xAC or 0xAE <= c <= 0xFF:
        return c
    if 0x100 <= c <= 0x120:
        return c - 0x100
    if 0x121 <= c <= 0x142:
        return c - 0x121 + 0x7F
    if c == 0x143:
        return 0xAD
    return -1
