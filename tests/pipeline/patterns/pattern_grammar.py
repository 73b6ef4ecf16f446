"""Random patterns of the Oniguruma dialect: valid ones, odd ones, and some that it refuses."""

from __future__ import annotations

import random

_PLAIN = ["a", "b", "s", "S", "ss", "ß", "k", "ab", "A", "ﬀ", "ff", "-", ":", "]", "}", "{", " "]
_PLAIN += ["{,}", "{a}", "=", "&", ",", "<", "#"]
_ESCAPES = [".", r"\w", r"\s", r"\d", r"\h", r"\W", r"\S", r"\D", r"\H", r"\p{L}", r"\P{Lu}"]
_ESCAPES += [r"\p{^L}", r"\pL", r"\p{Alpha}", r"\n", r"\x61", r"\x{df}", r"\u0073", r"\t", r"\O"]
_ESCAPES += [r"\N", r"\R", r"\101", r"\0", r"\-", r"\]", r"\q", r"\/", r"\cA", r"\e", r"\x"]
_ESCAPES += [r"\xC3\x9F"]
_ASSERTIONS = ["^", "$", r"\A", r"\z", r"\Z", r"\b", r"\B", r"\G", r"\K", "(?=a)", r"(?!\s)"]
_ASSERTIONS += ["(?<=a)", "(?<!s)", "(?=ab)", r"(?!\S)", "(?=[ab]|$)", "(?![^b])"]
_REFERENCES = [r"\1", r"\2", r"\k<1>", r"\k<-1>", r"\k<n>"]
_OPENINGS = ["(?:", "(?:", "(?:", "(", "(", "(?>", "(?i:", "(?m:", "(?x:", "(?-i:", "(?im-x:"]
_OPENINGS += ["(?W:", "(?DSP:", "(?<n>", "(?=", "(?!", "(?<=", "(?<!"]
_QUANTIFIERS = ["*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,2}", "{,2}", "{1,}"]
_QUANTIFIERS += ["{2,1}", "{1}", "{0}", "{1,2}?", "{2}?", "{1,2}+", "{2}+", "?*", "??+", "+??"]
_QUANTIFIERS += ["{1}+", "*{2}", "{2}{3}", "{", "{1"]
_MEMBERS = ["a", "s", "ß", "-", "b", "S", "&", "^", "]", "[", "é", "K", " ", "a-c", "A-Z", "s-ß"]
_MEMBERS += ["a-", "-c", r"\x61-c", r"a-\x{7a}", "--0", "a-b-d", r"\w", r"\s", r"\S", r"\p{Lu}"]
_MEMBERS += [r"\P{L}", r"\p{^L}", "[:alpha:]", "[:^space:]", r"\n", r"\]", r"\-", r"\b", r"\h"]
_MEMBERS += ["[:word:]", r"\d", "[:foo:]", "[:alpha]", "&&", "&&"]


class Grammar:
    """A stream of random patterns, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def pattern(self, depth: int = 0) -> str:
        """A pattern of up to three branches."""
        branches = self.chance.choice([1, 1, 1, 2, 3])
        return "|".join(self._branch(depth) for _ in range(branches))

    def _branch(self, depth: int) -> str:
        count = self.chance.choice([0] + 9 * [1, 2, 3])
        return "".join(self._atom(depth) + self._quantifier() for _ in range(count))

    def _quantifier(self) -> str:
        return self.chance.choice(_QUANTIFIERS) if self.chance.random() < 0.4 else ""

    def _atom(self, depth: int) -> str:
        kinds = [_PLAIN, _PLAIN, _ESCAPES, _ASSERTIONS]
        kind = self.chance.random()
        if kind < 0.6:
            return self.chance.choice(self.chance.choice(kinds))
        if kind < 0.75:
            return self._class(0)
        if kind < 0.77:
            return self.chance.choice(_REFERENCES)
        if kind < 0.8:
            return "(?i)" + self.pattern(depth + 1) if depth < 3 else "(?#c)"
        return self.chance.choice(_OPENINGS) + self.pattern(depth + 1) + ")" if depth < 3 else "a"

    def _class(self, depth: int) -> str:
        members = [
            self._class(depth + 1)
            if depth < 2 and self.chance.random() < 0.1
            else self.chance.choice(_MEMBERS)
            for _ in range(self.chance.randint(1, 4))
        ]
        return "[" + self.chance.choice(["", "^"]) + "".join(members) + "]"

    def text(self) -> str:
        """A short text out of the characters that the patterns are about."""
        few = self.chance.sample("abcdABS sß\n\r 0Kſéﬀŉ'-]}^&:,=<>#", self.chance.randint(1, 8))
        return "".join(self.chance.choice(few) for _ in range(self.chance.randint(1, 14)))
