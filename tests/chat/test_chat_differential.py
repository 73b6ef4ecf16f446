# ruff: noqa: E501, SIM905 (templates)
"""Random templates over random data: the same text, or the same refusal, as Jinja gives."""

import re

import jinja2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers.utils.chat_template_utils import _cached_compile_jinja_template

from textcore.chat.errors import TemplateFailure
from textcore.chat.templates import ChatTemplate

VARIABLES = {
    "s": "Héllo <|x|> wörld",
    "t": "a\nb\tc ",
    "e": "",
    "i": 3,
    "z": 0,
    "f": 2.5,
    "b": True,
    "n": None,
    "l": ["x", "y", "x"],
    "m": [3, 1, 2],
    "d": {"role": "user", "items": [1], "x": "y"},
    "p": [{"role": "user", "v": 2}, {"role": "tool", "v": 1}],
    "u": ("a", "b"),
}
NAMES = st.sampled_from([*VARIABLES, *VARIABLES, "missing"])
ATTRIBUTES = st.sampled_from(["role", "x", "nothing", "__class__", "v"])
METHODS = st.sampled_from(
    """upper() lower() strip() split() split('x') split('l',1) rsplit('l',1) startswith('H') endswith('d')
    replace('l','L') replace('','-') find('l') count('l') title() join(l) splitlines() partition('l')
    center(20) ljust(20,'*') zfill(5) expandtabs(3) format(1) encode() lstrip('H') isdigit() index('x')
    keys() values() items() get('role') get('no') get('no',1) copy() count('x') bit_length() is_integer()
    rfind('l') rpartition('l') removeprefix('H') swapcase() casefold() rstrip(' ') append(1) pop()
    translate({72:'J'}) isalpha() istitle() strip('Hd')""".split()
)
FILTERS = st.sampled_from(
    """upper lower trim length list string int float tojson tojson(indent=2) first last join join(',') sort
    unique|list reverse|list title capitalize default('d') default('d',true) map('string')|list
    map(attribute='role')|list map(attribute='v')|sum select|list reject|list selectattr('v','gt',1)|list
    rejectattr('role','eq','user')|list groupby('role') sum min max abs round round(1) replace('l','L')
    indent indent(2,true) center(9) batch(2)|list slice(2)|list items|list dictsort dictsort(by='value')
    e safe forceescape truncate(5) wordcount wordwrap(4) format(1) filesizeformat urlencode pprint
    tojson(sort_keys=true) tojson(separators=(',',':')) tojson(ensure_ascii=true) d('x') count xmlattr
    striptags attr('role') sort(attribute='v') sort(reverse=true) trim('H')""".split()
)
TESTS = st.sampled_from(
    """defined undefined none string number integer float boolean mapping sequence iterable true false
    odd even lower upper callable in(l) eq(3) gt(2) divisibleby(2) sameas(n) escaped""".split()
)
OPERATORS = st.sampled_from("+,-,*,/,//,%,~,==,!=,<,<=,>,>=,in,not in,and,or".split(","))


def combine(inner):
    return st.one_of(
        st.builds("{}.{}".format, inner, ATTRIBUTES),
        st.builds("{}[{}]".format, inner, inner),
        st.builds("{}[{}:{}]".format, inner, st.sampled_from("-1 0 1 i".split()), NAMES),
        st.builds("{}.{}".format, inner, METHODS),
        st.builds("({})|{}".format, inner, FILTERS),
        st.builds("({}) is {}".format, inner, TESTS),
        st.builds("({} {} {})".format, inner, OPERATORS, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("[{}, {}]".format, inner, inner),
        # (Jinja folds a literal key into a constant, and fails where it is no key, used or not.)
        st.builds("{{{}: {}}}".format, NAMES, inner),
        st.builds("(not {})".format, inner),
        st.builds("(-{})".format, inner),
        st.builds("('%s|%r' % ({}, {}))".format, inner, inner),
        st.builds("'{{}}:{{!r}}'.format({}, {})".format, inner, inner),
    )


EXPRESSIONS = st.recursive(
    st.one_of(NAMES, NAMES, st.sampled_from(["'l'", "'x'", "1", "2.0", "none", "[]"])),
    combine,
    max_leaves=6,
)


def statements(inner):
    return st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("{{% if {} %}}{}{{% else %}}{}{{% endif %}}".format, EXPRESSIONS, inner, inner),
        st.builds(
            "{{% for q in {} %}}{}{{{{ loop.index }}}}{{{{ q }}}}{{{{ loop.last }}}}{{% endfor %}}".format,
            EXPRESSIONS,
            inner,
        ),
        st.builds("{{% set s = {} %}}{}".format, EXPRESSIONS, inner),
        st.builds("{{% set s %}}{}{{% endset %}}{{{{ s|length }}}}".format, inner),
        st.builds(
            "{{% macro k(q, r={}) %}}{}{{{{ q }}}}{{{{ r }}}}{{% endmacro %}}{{{{ k({}) }}}}".format,
            EXPRESSIONS,
            inner,
            EXPRESSIONS,
        ),
        st.builds("{{% filter {} %}}{}{{% endfilter %}}".format, FILTERS, inner),
        st.builds("{{% set ns = namespace(v={}) %}}{}{{{{ ns.v }}}}".format, EXPRESSIONS, inner),
    )


TEMPLATES = st.recursive(st.builds("{{{{ {} }}}}".format, EXPRESSIONS), statements, max_leaves=4)
# What names a place in memory, or a class or function that is ours here and Jinja's there.
UNSTABLE = re.compile(
    r" at 0x[0-9a-f]+|[\w.<>]+\(\) (?:takes|missing|got) .*"
    r"|[\w.<>]*(?:Namespace|Macro|LoopContext|Helper)[\w. ]*",
    re.IGNORECASE,
)


def stable(text):
    return UNSTABLE.sub("", text)


def theirs(template):
    try:
        return True, stable(_cached_compile_jinja_template(template).render(VARIABLES))
    except jinja2.TemplateSyntaxError as error:
        return False, error.message
    except Exception as error:
        return False, stable(str(error))


def ours(template):
    try:
        return True, stable(ChatTemplate(template).render(dict(VARIABLES)))
    except TemplateFailure as error:
        return False, stable(error.message)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEMPLATES)
def test_random_template_renders_as_in_jinja(template):
    assert ours(template) == theirs(template)
