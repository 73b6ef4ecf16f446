# ruff: noqa: E501 (templates)
"""Templates that would take a server's time or memory: each is stopped, and the error says why."""

import tracemalloc

import pytest
from markupsafe import Markup

from textcore.chat.errors import TemplateFailure, TemplateLimitError, TemplateSecurityError
from textcore.chat.limits import Limits
from textcore.chat.methods import GUARDS
from textcore.chat.templates import ChatTemplate, compile_template

# Small, so that a test takes milliseconds; no attack below depends on how large they are.
LIMITS = Limits(work=1_000_000, size=1 << 21, memory=1 << 25)

# What attacks start and end with: values that share their parts, so that walking through them
# takes 2**100 steps; long texts and lists, used again and again.
SHARED = {
    "<lists>": (
        "{% set ns = namespace(x=[1]) %}{% for i in range(100) %}"
        "{% set ns.x = [ns.x, ns.x] %}{% endfor %}",
        "",
    ),
    "<twins>": (
        "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(100) %}"
        "{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}",
        "",
    ),
    "<tuples>": (
        "{% set ns = namespace(x=(1,)) %}{% for i in range(100) %}"
        "{% set ns.x = (ns.x, ns.x) %}{% endfor %}",
        "",
    ),
    "<text>": ("{% set x = 'a' * 2000000 %}{% for i in range(10000) %}", "{% endfor %}"),
    "<numbers>": ("{% set x = range(10000)|list %}{% for i in range(10000) %}", "{% endfor %}"),
    "<dict>": (
        "{% set d = dict(range(10000)|batch(2)) %}{% for i in range(10000) %}",
        "{% endfor %}",
    ),
    "<loops>": (
        "{% for i in range(10000) %}{% for j in range(10000) %}",
        "{% endfor %}{% endfor %}",
    ),
}

ATTACKS = r"""
size   {{ 'a'|center(2000000000) }}
size   {{ '%2000000000d' % 1 }}
work   {{ ('%s' * 9999) % (('a' * 99999,) * 9999) }}
size   {{ '%*d' % (2000000000, 1) }}
size   {{ '%.2000000000f' % 1.0 }}
size   {{ '%2000000000d'|format(1) }}
size   {{ '%(a)2000000000s' % {'a': 1} }}
size   {{ ([[1]*9999]*9999)|sum(start=[]) }}
size   {{ '{:>2000000000}'.format('a') }}
size   {{ '{:>{w}}'.format('a', w=2000000000) }}
size   {{ '{x:>2000000000}'.format_map({'x': 1}) }}
size   {{ ('{:>2000000000}'|attr('format'))('a') }}
size   {% set f = '{:>2000000000}'.format %}{{ f('a') }}
size   {{ ('{:>2000000000}'|safe).format('a') }}
size   {{ 'a' * 2000000000 }}
size   {{ 2000000000 * 'a' }}
size   {{ [1] * 2000000000 }}
size   {{ (1,) * 2000000000 }}
size   {{ 'a'.encode() * 2000000000 }}
bits   {{ (2**10000) * (2**10000) }}
bits   {% set ns = namespace(x=3) %}{% for i in range(100) %}{% set ns.x = ns.x * ns.x %}{% endfor %}
size   {% set ns = namespace(x='a') %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}
size   {% set ns = namespace(x='a') %}{% for i in range(100) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}
size   {% set ns = namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}
work   <lists>{{ ns.x }}
work   <lists>{{ ns.x|tojson }}
work   <lists>{{ ns.x|pprint }}
work   <lists>{{ ns.x|string }}
work   <lists>{{ ns }}
work   <twins>{{ ns.x == ns.y }}
work   <twins>{{ ns.x < ns.y }}
work   <twins>{{ ns.x in [ns.y] }}
work   <twins>{{ ns.x is eq ns.y }}
work   <twins>{{ [ns.x].index(ns.y) }}
work   <twins>{{ [ns.x, ns.y]|sort }}
work   <twins>{{ [ns.x, ns.y]|max }}
work   <twins>{{ [ns.x]|select('equalto', ns.y)|list }}
work   <twins>{{ {'a': ns.x} == {'a': ns.y} }}
work   <tuples>{{ {ns.x: 1} }}
work   <tuples>{{ {}[ns.x] }}
work   <tuples>{{ {}.get(ns.x) }}
work   <tuples>{{ ns.x in {} }}
work   <tuples>{{ [ns.x]|unique|list }}
work   <tuples>{{ dict([(ns.x, 1)]) }}
work   <tuples>{{ dict.fromkeys([ns.x]) }}
work   <tuples>{{ {}.fromkeys([ns.x]) }}
work   <tuples>{{ {}.keys().isdisjoint([ns.x]) }}
work   <tuples>{{ ns.x is filter }}
work   <tuples>{{ 'a'.startswith(ns.x) }}
work   <tuples>{{ '%s' % (ns.x,) }}
work   <tuples>{{ '{}'.format(ns.x) }}
work   <tuples>{{ '{!r}'.format(ns.x) }}
work   <tuples>{{ ns.x|join }}
work   <tuples>{{ ns.x|lower }}
work   <tuples>{{ ns.x is lower }}
work   <tuples>{{ ns.x|e }}
work   <tuples>{{ ns.x|urlencode }}
work   <tuples>{{ raise_exception(ns.x) }}
work   <tuples>{{ {}[[ns.x]].y }}
work   <tuples>{% for i in [1,2] %}{{ loop.changed(ns.x) }}{% endfor %}
work   <tuples>{{ {'a':ns.x}.items() ~ '' }}
work   <tuples>{{ [ns.x]|map('string')|list }}
depth  {% set ns = namespace(x=[]) %}{% for i in range(10000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}
depth  {% set ns = namespace(x=[]) %}{% for i in range(10000) %}{% set ns.x = (ns.x,) %}{% endfor %}{{ {ns.x: 1} }}
depth  {% set ns = namespace(x=[]) %}{% for i in range(10000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x|tojson }}
depth  {% set ns = namespace(x=[1]) %}{% for i in range(10000) %}{% set ns.x = ns.x|map('upper') %}{% endfor %}{{ ns.x|list }}
depth  {% set ns = namespace(x='a') %}{% for i in range(10000) %}{% set ns.x = ns.x|reverse %}{% endfor %}{% set ns.x = [1] %}{% for i in range(10000) %}{% set ns.x = ns.x|batch(1) %}{% endfor %}{{ ns.x|list }}
work   {% set ns = namespace(l=range(10000)) %}{% for i in range(10000) %}{% for x in ns.l %}{% set ns.l = loop %}{{ loop.index }}{% break %}{% endfor %}{% endfor %}
work   <loops>{% for k in range(10000) %}{% endfor %}
work   {% for i in range(99999) %}{% for j in range(99999) %}{{ i }}{% endfor %}{% endfor %}
size   {{ (range(10000)|list * 10000)|length }}
depth  {% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}
work   {% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}
size   {% macro f(x) %}{{ caller() }}{{ caller() }}{% endmacro %}{% call f(1) %}{% call f(1) %}{% call f(1) %}{% call f(1) %}{{ 'a' * 10000 }}{% endcall %}{% endcall %}{% endcall %}{% endcall %}{% for i in range(10000) %}{% call f(1) %}{{ 'a' * 100000 }}{% endcall %}{% endfor %}
depth  {% for x in [[1]] recursive %}{{ loop(x) if x is iterable else loop([x]) }}{% endfor %}
depth  {% for x in [1,2] recursive %}{{ loop([1,2]) }}{% endfor %}
depth  {% block a %}{{ self.a() }}{% endblock %}
depth  {% block a %}{% if x is undefined %}{{ self.a() }}{{ self.a() }}{% endif %}{% endblock %}
size   {{ [1]|batch(2000000000, 'x')|list }}
size   {{ [1]|slice(2000000000)|list }}
size   {{ 'a\nb'|indent(2000000000) }}
size   {{ ('a\n' * 10000)|indent(10000) }}
size   {{ ('a\n' * 10000)|indent('x' * 10000) }}
work   {{ ('a ' * 1000000)|wordwrap(1, wrapstring='x' * 10000) }}
work   {{ ('a' * 2000000)|wordwrap(1) }}
size   {{ ('<!--' * 1000000)|striptags }}
work   {{ ('<' * 2000000)|urlize }}
work   {{ ('http://a.b ' * 10000)|urlize(target='x' * 10000) }}
size   {{ {'a': 1}|tojson(indent=200000000) }}
size   {{ {'a': 1}|tojson(indent='x' * 2000000) }}
size   {{ range(1000)|list|tojson(separators=('x' * 1000000, ':')) }}
work   {{ lipsum(200000000) }}
work   {{ lipsum(1, max=200000000) }}
work   {{ lipsum(100000, min=100000, max=100001) }}
size   {{ 'a'.center(2000000000) }}
size   {{ 'a'.ljust(2000000000) }}
size   {{ 'a'.rjust(2000000000, 'b') }}
size   {{ 'a'.zfill(2000000000) }}
size   {{ 'a\t'.expandtabs(2000000000) }}
size   {{ ('\t' * 1000000).expandtabs(10000) }}
size   {{ ('a' * 1000000).replace('a', 'b' * 1000000) }}
size   {{ ('a' * 1000000).replace('', 'b' * 1000000) }}
size   {{ ('a' * 1000000)|replace('a', 'b' * 1000000) }}
size   {{ ('a' * 1000000).join(['b'] * 10000) }}
size   {{ (['b'] * 10000)|join('a' * 1000000) }}
size   {{ ('a' * 1000000).translate({97: 'b' * 1000000}) }}
size   {{ ('a ' * 1000000).split() }}
size   {{ ('a,' * 1000000).split(',') }}
size   {{ ('a\n' * 1000000).splitlines() }}
size   {{ ('a' * 2000000)|list }}
work   {{ ('a' * 2000000).rfind('a' * 1000000 + 'b') }}
work   {{ ('a' * 2000000).rsplit('b' + 'a' * 1000000) }}
work   {{ ('a' * 2000000).rpartition('b' + 'a' * 1000000) }}
work   {{ ('a' * 2000000).strip('b' * 2000000 + 'a') }}
work   {{ ('a' * 2000000)|trim('b' * 2000000 + 'a') }}
size   {{ ('a' * 1000000).encode().decode('idna') }}
size   {{ 'é'.encode('ascii', 'namereplace') * 20000000 }}
size   {{ 'a'.encode().center(2000000000) }}
size   {{ ('a'.encode() * 1000000).replace('a'.encode(), 'b'.encode() * 1000000) }}
size   {{ (1).to_bytes(2000000000, 'big') }}
size   {{ (0).from_bytes(range(100)|list * 1000000, 'big') }}
bits   {{ ('f' * 1000000)|int(base=16) }}
bits   {{ 5|round(-200000000) }}
bits   {{ 1.5|round(200000000, 'floor') }}
size   {{ '%2000000000d' is divisibleby 3 }}
size   {{ ['%2000000000d']|select('odd')|list }}
size   {{ ['a']|map('center', 2000000000)|list }}
size   {% filter center(2000000000) %}a{% endfilter %}
size   {% set x | center(2000000000) %}a{% endset %}
size   {% autoescape 'a'|center(2000000000) %}{% endautoescape %}
size   {% autoescape 'a' * 2000000000 %}{% endautoescape %}
size   {% autoescape '%2000000000d' % 1 %}{% endautoescape %}
size   {% autoescape true %}{{ '<' * 2000000 }}{% endautoescape %}
size   {% autoescape true %}{{ ('<' * 2000000) ~ '' }}{% endautoescape %}
size   {{ ('<' * 2000000)|e }}
size   {{ ('<'|safe) + ('<' * 2000000) }}
size   {{ ('%s'|safe) % ('<' * 2000000) }}
size   {{ strftime_now('%c' * 2000000) }}
size   <text>{{ x }}
work   <text>{% if 'b' in x %}{% endif %}
memory <text>{% if x[1:] %}{% endif %}
size   <text>{% if x.upper() %}{% endif %}
work   <text>{% if x|trim %}{% endif %}
memory <text>{% if x|reverse %}{% endif %}
work   <text>{% if x.find('b') %}{% endif %}
work   <text>{% if x.isalpha() %}{% endif %}
work   <text>{% if x|wordcount %}{% endif %}
work   <text>{% if x is lower %}{% endif %}
work   <text>{% if x|float %}{% endif %}
memory <text>{% if x|tojson %}{% endif %}
work   {% set x = 'a' * 2000000 %}{% set y = 'a' * 2000000 %}{% for i in range(10000) %}{% if x == y %}{% endif %}{% endfor %}
memory {% set ns = namespace(k=[]) %}{% for i in range(1000) %}{% set ns.k = ns.k + ['😀' * 500000] %}{% endfor %}
work   <numbers>{% if x|sort %}{% endif %}
work   <numbers>{% if x|max %}{% endif %}
work   <numbers>{% if -1 in x %}{% endif %}
work   <numbers>{% if x|sum %}{% endif %}
work   <numbers>{% if 5.5 in range(10000) %}{% endif %}
work   <numbers>{% if x == range(10000)|list %}{% endif %}
work   <numbers>{{ f(*x) if false }}{{ dict(x|batch(2)) }}
memory <dict>{% if d.copy() %}{% endif %}
work   <dict>{% if (d.keys() - [1])|length %}{% endif %}
work   <dict>{% if -1 in d.values() %}{% endif %}
work   <dict>{% if d.keys() == d.keys() %}{% endif %}
work   <dict>{% if d|dictsort %}{% endif %}
work   {{ range(10000)|sort(attribute='a,' * 10000) }}
size   {{ ('{0}' * 2000000).format('a' * 2000000) }}
size   {{ ('{0:1}' * 50000).format('a' * 1000000) }}
size   {{ ('%(a)s' * 10000) % {'a': 'b' * 1000000} }}
size   {{ cycler(*range(10000)) }}{{ cycler(*(range(10000)|list * 1000)) }}
work   {{ 'x' in ('a' * 2000000)|map('upper') }}{% for i in range(1000) %}{{ 'x' in ('a' * 2000000)|map('upper') }}{% endfor %}
bits   {{ 9**(9**9) }}
size   {{ ([[1]*9999]*9999)|sum(start=[]) }}
size   {{ ('a'|center(80)) * 2000000000 }}
work   <loops>{{ 'aaa' }}
work   {% set x %}{% for i in range(10000) %}{% for j in range(10000) %}{{ i }}{% endfor %}{% endfor %}{% endset %}
work   <loops>{% set x = i|string %}
work   <loops>{% if i is odd %}{% endif %}
work   <loops>{% set x = 'abc'.center(5) %}
work   <loops>{% set x = '{}{}{}'.format(1,2,3) %}
work   <loops>{% set x = namespace(a=1) %}
work   <loops>{% set x = [1,2,3]|tojson(indent=2) %}
memory <loops>{% set x = strftime_now('%c') %}
work   <loops>{% set x = lipsum(1) %}
work   <loops>{% set x = 'a b'|wordwrap(3) %}
work   <loops>{% set x = 'a b'|urlize %}
work   <loops>{% set x = [1]|pprint %}
work   <loops>{% set x = [1]|map('string')|list %}
work   <loops>{% set x = 1.5 ** 2.5 ~ 1e300 %}
""".strip().splitlines()


def expand(template):
    """The template with what it starts and ends with written out."""
    name, sign, rest = template.partition(">")
    start, end = SHARED.get(name + sign, (None, None))
    return template if start is None else start + rest + end


def run(source, limits=LIMITS):
    return ChatTemplate(source, limits).render({"messages": [{"role": "user", "content": "x"}]})


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_stopped_by_its_limit(attack):
    limit, template = attack.split(maxsplit=1)
    with pytest.raises(TemplateLimitError) as caught:
        run(expand(template))
    assert caught.value.limit == limit
    assert f"(limit: {limit})" in str(caught.value) or limit == "depth"


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'a'|center(2000000000) }}",
        "{{ '%2000000000d' % 1 }}",
        "{{ 'a' * 2000000000 }}",
        "{% if false %}{{ '{:>2000000000}'.format('a') }}{% endif %}",
        "{% autoescape 'a' * 2000000000 %}{% endautoescape %}",
        "{% autoescape '%2000000000d' % 1 %}{% endautoescape %}",
    ],
)
def test_compiling_runs_none_of_it(template):
    tracemalloc.start()
    try:
        ChatTemplate(template, LIMITS)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


COMPILING = {
    "source": ("a" * 300_000, "source"),
    "outputs": ("{{x}}" * 50_000, "nodes"),
    "branches": ("".join(f"{{% if a{i} %}}{{% endif %}}" for i in range(5000)), "scopes"),
    "macros": (
        "".join(f"{{% macro a{i}() %}}{{% endmacro %}}" for i in range(5000)),
        "scopes",
    ),
    "parentheses": ("{{ " + "(" * 50_000 + "1" + ")" * 50_000 + " }}", "depth"),
    "lists": ("{{ " + "[" * 5000 + "]" * 5000 + " }}", "depth"),
    "nots": ("{{ " + "not " * 5000 + "1 }}", "depth"),
    "minuses": ("{{ " + "-" * 50_000 + "1 }}", "depth"),
    "ifs": ("{% if x %}" * 5000 + "{% endif %}" * 5000, "depth"),
    "inline ifs": ("{{ " + "1 if x else " * 5000 + "1 }}", "depth"),
    "additions": ("{{ x" + " - x" * 5000 + " }}", "depth"),
    "attributes": ("{{ x" + ".a" * 5000 + " }}", "depth"),
    "filters": ("{{ x" + "|upper" * 5000 + " }}", "depth"),
    "integer": ("{{ 0x" + "f" * 100_000 + " }}", "bits"),
}


@pytest.mark.parametrize("name", COMPILING)
def test_compiling_is_bounded(name):
    source, limit = COMPILING[name]
    with pytest.raises(TemplateLimitError) as caught:
        ChatTemplate(source)
    assert caught.value.limit == limit


@pytest.mark.parametrize(
    "source",
    [
        "{{ " + "(" * 150 + "1" + ")" * 150 + " }}",
        "{% for i in x %}" * 50 + "{% endfor %}" * 50,
        "{{ " + "9" * 10_000 + " }}",
        "{#" * 50_000,
        "{% raw %}" * 5000,
        "{{ ns.x.y.z(1)(2)[3] = 5 }}",
    ],
)
def test_what_python_or_jinja_refuse_is_a_template_failure(source):
    with pytest.raises(TemplateFailure):
        ChatTemplate(source, LIMITS)


def test_a_long_chain_of_literals_is_one_literal():
    assert run("{{ " + " + ".join(["'a'"] * 250) + " }}") == "a" * 250


def test_limits_are_met_exactly():
    assert len(run("{{ 'a' * 2097152 }}")) == 1 << 21
    with pytest.raises(TemplateLimitError, match="2097152 characters"):
        run("{{ 'a' * 2097153 }}")


def test_error_names_the_line():
    with pytest.raises(TemplateLimitError) as caught:
        run("a\n\n{{ 'a' * 2000000000 }}")
    assert caught.value.line == 3


def test_memory_of_what_is_written_is_bounded():
    tracemalloc.start()
    try:
        with pytest.raises(TemplateLimitError):
            run(
                "{% for i in range(100000) %}{% for j in range(100000) %}{{ i }}{% endfor %}{% endfor %}"
            )
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


# Expressions on a text of Chinese characters, a dict and a list of 10,000, the results of which are
# kept. Each makes objects, whose bytes count.
KEPT = r"""
t|list
t|list|list
(t[:100]~' ')|trim
t.split('食')
(t[:200]|join(' ')).split()
(t[:200]|join('\n')).splitlines()
d.copy()
dict(d)
dict.fromkeys(d)
{}.fromkeys(d)
d.items()|list
d|items|list
d|dictsort
d.keys()|list
r|map('float')|list
r|map('string')|list
r|batch(1)|list
r|slice(10000)|list
r|select('odd')|list
range(10000)|list
t|reverse
t|upper
t.lower()
t[1:]
t|tojson
t.encode('utf-32')
""".strip().splitlines()


@pytest.mark.parametrize("expression", KEPT)
def test_what_is_kept_takes_little_more_than_the_limit(expression):
    limits = Limits(memory=1 << 24)
    source = (
        "{% set t = '食' * 10000 %}{% set r = range(10000)|list %}{% set d = dict.fromkeys(r) %}"
        "{% set ns = namespace(l=none) %}{% for i in range(100000) %}"
        "{% set ns.l = [ns.l, " + expression + "] %}{% endfor %}"
    )
    tracemalloc.start()
    try:
        with pytest.raises(TemplateLimitError):
            run(source, limits)
        assert tracemalloc.get_traced_memory()[1] < 2 * limits.memory
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "printing", ["a|string", "a ~ ''", "'%d' % a", "'{}'.format(a)", "[a]|tojson", "[a]|join"]
)
def test_printing_a_long_number_counts(printing):
    with pytest.raises(TemplateLimitError) as caught:
        run(
            "{% set a = 10**4000 %}{% for i in range(5000) %}{% set b = "
            + printing
            + " %}{% endfor %}"
        )
    assert caught.value.limit == "work"


def test_passing_many_keywords_counts():
    source = (
        "{% set d = dict.fromkeys(range(10000)|map('string')) %}"
        "{% for i in range(200) %}{% set x = dict(**d) %}{% endfor %}"
    )
    with pytest.raises(TemplateLimitError) as caught:
        run(source, Limits(work=5_000_000))
    assert caught.value.limit == "work"


def test_deep_chains_of_loops_end_in_an_error_not_a_crash():
    source = (
        "{% set ns = namespace(l=range(100000)) %}{% for i in range(100000) %}{% for x in ns.l %}"
        "{% set ns.l = loop %}{{ loop.index }}{% break %}{% endfor %}{% endfor %}"
    )
    with pytest.raises(TemplateLimitError):
        run(source, Limits())


# Attributes of plain data that may be read, and methods that the sandbox refuses as they modify.
PROPERTIES = {"real", "imag", "numerator", "denominator", "start", "stop", "step"}
MODIFIERS = {
    *("append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse"),
    *("setdefault", "sort", "update"),
}


@pytest.mark.parametrize("kind", GUARDS, ids=lambda kind: kind.__name__)
def test_every_method_of_plain_data_has_a_guard(kind):
    public = {name for name in dir(kind) if not name.startswith("_")}
    assert public - PROPERTIES - MODIFIERS - set(GUARDS[kind]) == set()


def test_a_method_without_a_guard_is_refused(monkeypatch):
    monkeypatch.setitem(GUARDS, str, {k: v for k, v in GUARDS[str].items() if k != "upper"})
    with pytest.raises(TemplateSecurityError, match=r"str\.upper"):
        run("{{ 'a'.upper() }}")


def test_markup_is_charged_for_escaping():
    assert Markup in GUARDS
    with pytest.raises(TemplateLimitError):
        run("{{ ('%s' * 100)|safe % (('<' * 10000,) * 100) }}")


@pytest.mark.parametrize("encoding", ["punycode", "idna", "utf-7", "rot13", "unicode_escape"])
def test_codecs_that_are_slow_or_odd_are_refused(encoding):
    with pytest.raises(TemplateSecurityError, match="encoding"):
        run(f"{{{{ 'a'.encode('{encoding}') }}}}")


def test_ordinary_templates_use_a_small_part_of_the_limits():
    messages = [{"role": "user", "content": "x" * 2000}] * 2000
    source = "{% for m in messages %}{{ '<|' + m.role + '|>' + m.content|trim }}{% endfor %}"
    tight = Limits(work=500_000, memory=1 << 24)
    assert len(ChatTemplate(source, tight).render({"messages": messages})) == 2000 * 2008


def test_compiled_templates_have_the_documented_limits():
    assert compile_template("x").limits == Limits()
