"""The ``format`` values that are enforced, each as a pattern over the whole string.

Sources: RFC 3339 (date, time, date-time), RFC 4122 (uuid), RFC 5321 section 4.1.2 without
quoted local parts and address literals (email), RFC 2673 section 3.2 (ipv4), RFC 4291 section
2.2 (ipv6), RFC 3986 appendix A (uri). Where software in use is narrower than the standard,
so is the pattern: years start at 0001, and no leap second is written.
"""

from __future__ import annotations

from typing import Final

_YEAR: Final = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_MONTH_DAY: Final = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP_YEAR: Final = (
    "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
)
_DATE: Final = f"(?:{_YEAR}-{_MONTH_DAY}|{_LEAP_YEAR}-02-29)"
_HOUR_MINUTE: Final = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TIME: Final = rf"{_HOUR_MINUTE}:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-]{_HOUR_MINUTE})"

_OCTET: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4: Final = rf"(?:{_OCTET}\.){{3}}{_OCTET}"
_H16: Final = "[0-9A-Fa-f]{1,4}"
_LS32: Final = f"(?:{_H16}:{_H16}|{_IPV4})"


def _ipv6() -> str:
    """Eight groups, or ``::`` in place of one or more (the grammar of RFC 3986, section 3.2.2)."""
    branches = [f"(?:{_H16}:){{6}}{_LS32}"]
    for after in range(5, -1, -1):
        before = f"(?:(?:{_H16}:){{0,{4 - after}}}{_H16})?" if after < 5 else ""
        groups = f"(?:{_H16}:){{{after}}}" if after else ""
        branches.append(f"{before}::{groups}{_LS32}")
    branches.append(f"(?:(?:{_H16}:){{0,5}}{_H16})?::{_H16}")
    branches.append(f"(?:(?:{_H16}:){{0,6}}{_H16})?::")
    return f"(?:{'|'.join(branches)})"


_LABEL: Final = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"

_UNRESERVED: Final = "A-Za-z0-9._~-"
_SUB: Final = "!$&'()*+,;="
_ENCODED: Final = "%[0-9A-Fa-f]{2}"
_PCHAR: Final = f"(?:[:@{_SUB}{_UNRESERVED}]|{_ENCODED})"
_SEGMENTS: Final = f"(?:/{_PCHAR}*)*"
_HOST: Final = (
    rf"(?:\[(?:{_ipv6()}|[vV][0-9A-Fa-f]+\.[:{_SUB}{_UNRESERVED}]+)\]"
    f"|(?:[{_SUB}{_UNRESERVED}]|{_ENCODED})*)"
)
_AUTHORITY: Final = f"(?:(?:[:{_SUB}{_UNRESERVED}]|{_ENCODED})*@)?{_HOST}(?::[0-9]*)?"
_HIERARCHY: Final = (
    f"(?://{_AUTHORITY}{_SEGMENTS}|/(?:{_PCHAR}+{_SEGMENTS})?|(?:{_PCHAR}+{_SEGMENTS})?)"
)
_QUERY: Final = f"(?:[/?:@{_SUB}{_UNRESERVED}]|{_ENCODED})*"

FORMATS: Final = {
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "uuid": "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "email": rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*",
    "ipv4": _IPV4,
    "ipv6": _ipv6(),
    "uri": rf"[A-Za-z][A-Za-z0-9+.-]*:{_HIERARCHY}(?:\?{_QUERY})?(?:#{_QUERY})?",
}
"""Format names and their patterns (without the ``^`` and ``$`` that belong around each)."""
