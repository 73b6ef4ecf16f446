"""Reading one character of valid UTF-8."""

from libc.stdint cimport uint8_t, uint32_t


cdef inline uint32_t code_point(const uint8_t *s, int *width) noexcept nogil:
    """The code point at ``s``, and how many bytes it takes."""
    if s[0] < 0x80:
        width[0] = 1
        return s[0]
    if s[0] < 0xE0:
        width[0] = 2
        return (<uint32_t>(s[0] & 0x1F) << 6) | (s[1] & 0x3F)
    if s[0] < 0xF0:
        width[0] = 3
        return (<uint32_t>(s[0] & 0x0F) << 12) | (<uint32_t>(s[1] & 0x3F) << 6) | (s[2] & 0x3F)
    width[0] = 4
    return ((<uint32_t>(s[0] & 0x07) << 18) | (<uint32_t>(s[1] & 0x3F) << 12)
            | (<uint32_t>(s[2] & 0x3F) << 6) | (s[3] & 0x3F))
