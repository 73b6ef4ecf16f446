# ruff: noqa: E501 (templates)
"""Templates of ours, one for each construct that real ones use, against transformers."""

import pytest
from chat_cases import SYSTEM, TOOLS, Case, message
from compare_chat_templates import SPECIAL, ours, reference, reference_tokenizer

from textcore.chat.prompts import ChatPrompts

CONSTRUCTS = {
    "namespace": """{% set ns = namespace(n=0, seen=[], last=none) %}
        {% for m in messages %}{% set ns.n = ns.n + 1 %}{% set ns.seen = ns.seen + [m.role] %}
        {% set ns.last = m %}{% endfor %}{{ ns.n }} {{ ns.seen }} {{ ns.last.content }}""",
    "macro": """{% macro tag(name, body='-', sep=' ') %}<{{ name }}{{ sep }}{{ body }}>{% endmacro %}
        {{ tag('a') }}{{ tag('b', 'x') }}{{ tag(body='y', name='c', sep=': ') }}""",
    "macro varargs": """{% macro f(a) %}{{ a }}|{{ varargs }}|{{ kwargs }}|{{ caller is defined }}
        {% endmacro %}{{ f(1, 2, 3, k='v') }}{{ f.name }}{{ f.arguments }}{{ f.catch_kwargs }}""",
    "recursive macro": """{% macro show(x) %}{% if x is mapping %}{ {% for k, v in x.items() %}
        {{ k }}: {{ show(v) }}{{ ', ' if not loop.last }}{% endfor %} }{% elif x is string %}
        "{{ x }}"{% elif x is sequence %}[{% for v in x %}{{ show(v) }} {% endfor %}]{% else %}
        {{ x }}{% endif %}{% endmacro %}{{ show(tools) }}""",
    "call block": """{% macro box(t) %}[{{ t }}:{{ caller(t, 1) }}]{% endmacro %}
        {% call(a, b) box('T') %}{{ a }}{{ b }}{{ messages|length }}{% endcall %}""",
    "break and continue": """{% for m in messages %}{% if m.role == 'system' %}{% continue %}
        {% endif %}{{ m.content }}{% if loop.index > 1 %}{% break %}{% endif %}{% endfor %}""",
    "loop variables": """{% for m in messages %}{{ loop.index }} {{ loop.index0 }} {{ loop.first }}
        {{ loop.last }} {{ loop.length }} {{ loop.revindex }} {{ loop.revindex0 }}
        {{ loop.previtem is defined }} {{ loop.nextitem.role }} {{ loop.cycle('a', 'b') }}
        {{ loop.changed(m.role) }} {{ loop.depth }}{% endfor %}""",
    "recursive loop": """{% for x in [[1, [2, 3]], [4]] recursive %}{% if x is iterable %}
        ({{ loop(x) }}){% else %}{{ x }}@{{ loop.depth }}{% endif %}{% endfor %}""",
    "for else and filter": """{% for m in messages if m.role == 'nobody' %}x{% else %}none
        {% endfor %}{% for m in messages if m.role != 'system' %}{{ loop.index }}{% endfor %}
        {% for k, v in messages[0].items() %}{{ k }}={{ v }};{% endfor %}""",
    "nested loops": """{% for m in messages %}{% set outer = loop %}{% for c in m.content[:3] %}
        {{ outer.index }}.{{ loop.index }}{{ c }}{% endfor %}{% endfor %}""",
    "slices": """{{ messages[1:]|length }}{{ messages[::-1][0].role }}{{ messages[-1].content[2:-1] }}
        {{ 'abcdef'[::2] }}{{ messages[:1] }}{{ 'abc'[5:] }}{{ 'abc'[-2:] }}{{ (1,2,3)[1:] }}""",
    "dict methods": """{% set d = messages[0] %}{{ d.get('content') }}{{ d.get('no', 'dflt') }}
        {{ d.keys()|list }}{{ d.values()|list }}{{ d.items()|list }}{{ 'role' in d }}{{ d['role'] }}
        {{ dict(a=1, **d) }}{{ dict(d, b=2) }}{{ d|items|list }}{{ d|dictsort }}{{ d.copy() }}""",
    "dict key like a method": """{{ {'items': 1, 'keys': 2}.items() }}{{ {'items': 1}['items'] }}
        {{ messages[0].items is defined }}{{ messages[0]['items'] is defined }}""",
    "string methods": """{% set s = messages[-1].content %}{{ s.upper() }}{{ s.strip() }}{{ s.split(' ') }}
        {{ s.startswith('H') }}{{ s.endswith(('x', '?')) }}{{ s.replace('l', 'L') }}{{ s.find('o') }}
        {{ s.split('o', 1)[0].rstrip('l') }}{{ s.title() }}{{ s.splitlines() }}{{ ', '.join(['a','b']) }}
        {{ s.rsplit(' ', 1)[-1] }}{{ s.partition(' ') }}{{ s.count('l') }}{{ 'x'.zfill(5) }}
        {{ 'a'.center(7, '*') }}{{ 'a\tb'.expandtabs(4) }}{{ 'ß'.casefold() }}{{ 'a'.ljust(3) }}|
        {{ 'abc'.removeprefix('a') }}{{ 'é'.encode('utf-8') }}{{ 'a'.isalpha() }}""",
    "string tests": """{% for x in ['s', 1, 1.5, true, none, [1], {'a': 1}, undefined_name] %}
        {{ x is string }}{{ x is number }}{{ x is integer }}{{ x is float }}{{ x is boolean }}
        {{ x is none }}{{ x is iterable }}{{ x is sequence }}{{ x is mapping }}{{ x is defined }}
        {{ x is true }}{{ x is false }}{{ x is undefined }}{{ x is callable }}{% endfor %}
        {{ 'abc' is in 'xabcx' }}{{ 3 is odd }}{{ 4 is divisibleby 2 }}{{ 'a' is lower }}
        {{ 1 is eq 1 }}{{ 2 is gt 1 }}{{ 'tojson' is filter }}{{ 'x' is sameas 'x' }}""",
    "tojson": """{{ tools|tojson }}{{ tools|tojson(indent=4) }}{{ tools|tojson(indent=2, sort_keys=true) }}
        {{ tools|tojson(separators=(',', ':')) }}{{ 'é<>&\\u2028'|tojson }}{{ 'é'|tojson(ensure_ascii=true) }}
        {{ tools|tojson(true, '\t') }}{{ none|tojson }}{{ 1.0|tojson }}{{ (1, 2)|tojson }}""",
    "filters": """{{ messages|map(attribute='role')|list }}{{ messages|selectattr('role', 'equalto', 'user')
        |map(attribute='content')|join(' / ') }}{{ messages|rejectattr('role', 'in', ['user'])|list|length }}
        {{ '  x '|trim }}{{ [3, 1, 2]|sort }}{{ [3, 1]|sum }}{{ ['b', 'A']|sort(reverse=true) }}
        {{ 'abc'|first }}{{ [1, 2]|last }}{{ 'x'|default('y') }}{{ zip|default('y') }}{{ ''|d('z', true) }}
        {{ 'a b'|title }}{{ 'AbC'|lower|capitalize }}{{ 'a\nb'|indent(2) }}{{ 'a\nb'|indent(2, first=true) }}
        {{ [1, [2]]|string }}{{ '5'|int + 1 }}{{ '5.5'|float }}{{ 'x'|int(7) }}{{ 2.567|round(2) }}
        {{ 'abc'|reverse }}{{ [1, 2]|reverse|list }}{{ ['a', 'a']|unique|list }}{{ range(5)|batch(2)|list }}
        {{ range(5)|slice(2)|list }}{{ messages|groupby('role') }}{{ '%s-%03d'|format('a', 7) }}
        {{ 'abcdef'|replace('c', '-') }}{{ 'a b c'|wordcount }}{{ '<'|e }}{{ '<b>'|safe }}{{ 'x<y'|escape }}
        {{ -3|abs }}{{ [1, 2, 3]|min }}{{ [1, 2]|max }}{{ 'a'|center(5) }}|{{ 'long text here'|truncate(8) }}
        {{ ['a', 'b']|map('upper')|join }}{{ [0, 1]|select|list }}{{ [0, 1]|reject('odd')|list }}
        {{ 'ab'|list }}{{ {'b': 1, 'a': 2}|dictsort(by='value') }}{{ 'a/b c'|urlencode }}
        {{ 'aa bb cc'|wordwrap(3) }}{{ 12345|filesizeformat }}{{ [1]|pprint }}{{ ('a'|attr('upper'))() }}""",
    "operators": """{{ 1 + 2 * 3 - 4 / 2 }}{{ 7 // 2 }}{{ 7 % 3 }}{{ 2 ** 3 }}{{ -1 }}{{ 'a' * 3 }}{{ [1] + [2] }}
        {{ 'a' ~ 1 ~ none ~ [1] }}{{ '%s is %d' % ('x', 3) }}{{ not true }}{{ 1 < 2 <= 2 }}{{ 1 == 1.0 }}
        {{ 'a' in 'abc' and 2 not in [1] }}{{ none or 'x' }}{{ 'a' if false }}|{{ 'a' if false else 'b' }}
        {{ (1, 2) + (3,) }}{{ [1] * 2 }}{{ 3 * 'ab' }}{{ true + 1 }}{{ 10 / 4 }}{{ 1e3 }}{{ 0x1f }}""",
    "format": """{{ '{} {:>5} {a!r:.3}'.format(1, 'x', a='text') }}{{ '{0[role]}'.format(messages[0]) }}
        {{ '{x}'.format_map({'x': 1}) }}{{ '%(a)s'|format(a=1) }}""",
    "set block and filter block": """{% set x %} {{ messages[0].role }} y {% endset %}[{{ x|trim }}]
        {% filter upper %}abc{{ messages|length }}{% endfilter %}{% set y | trim %}  z  {% endset %}{{ y }}""",
    "with and scoping": """{% set a = 1 %}{% with b = a + 1, c = 3 %}{{ a }}{{ b }}{{ c }}{% set a = 9 %}
        {% endwith %}{{ a }}{% for i in [1] %}{% set a = 5 %}{% endfor %}{{ a }}{% if true %}{% set a = 6 %}
        {% endif %}{{ a }}{% set p, q = [1, 2] %}{{ p }}{{ q }}""",
    "whitespace control": """  {%- if true -%}
           a   {{- ' b ' -}}   c
        {%+ if true %} d {% endif %}
        {%- endif %}
        {# comment #}   e
    {% raw %}{{ raw }}{% endraw %}

""",
    "special tokens": "{{ bos_token }}{{ eos_token }}{{ cls_token is defined }}{{ pad_token ~ unk_token }}",
    "undefined": """{{ missing }}{{ missing is defined }}{{ missing|default('d') }}{{ messages[0].nothing }}
        {{ messages[99] is defined }}{% if missing %}x{% endif %}{% for x in missing %}y{% endfor %}""",
    "undefined attribute": "a\nb{{ missing.attribute }}",
    "undefined call": "{{ messages[0].nothing() }}",
    "none plus string": "{{ 'a' + none }}",
    "raise": "a\n\n{% if messages|length > 0 %}{{ raise_exception('Rôle: ' + messages[0].role) }}{% endif %}",
    "bad filter": "{{ 'a'|nosuchfilter }}",
    "bad test": "{{ 'a' is nosuchtest }}",
    "bad filter in if": "{% if false %}{{ 'a'|nosuchfilter }}{% endif %}ok",
    "syntax error": "a\n{% if x %}",
    "unknown tag": "{% nosuchtag %}",
    "generation": "{% for m in messages %}{% generation %}{{ m.content }}\n{% endgeneration %}-{% endfor %}",
    "blocks": "{% block a %}A{{ messages|length }}{% endblock %}{{ self.a() }}",
    "include": "{% include 'x' %}",
    "cycler and joiner": """{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}
        {% set j = joiner(', ') %}{{ j() }}x{{ j() }}y""",
    "range": "{{ range(3)|list }}{{ range(1, 10, 3)|list }}{{ range(100001) }}",
    "literals": "{{ [1, 'a', (2,), {'k': [true, none]}] }}{{ {} }}{{ [] }}{{ () }}{{ 'a' 'b' }}{{ 1_000 }}",
    "star arguments": """{% macro f(a, b, c=0) %}{{ a }}{{ b }}{{ c }}{% endmacro %}
        {{ f(*[1, 2]) }}{{ f(**{'a': 1, 'b': 2}) }}{{ f(1, *[2], **{'c': 3}) }}""",
    "do not escape": "{{ '<a href=\"x\">&</a>' }}{{ messages[0].content|safe ~ '<' }}{{ ('<'|e) + '<' }}",
    "markup": """{{ ('<'|e) ~ '<' }}{{ ('<%s>'|safe) % '<' }}{{ ('{}'|safe).format('<') }}{{ '<'|forceescape }}
        {{ ', '|safe|replace(',', '<') }}{{ ['<', '<'|safe]|join('&') }}{{ '<b>x</b>'|striptags }}""",
    "keyword as a name": "{% macro f(**kwargs) %}{{ kwargs }}{% endmacro %}{{ f(class=1, x=2) }}",
    "autoescape": """{% macro m(x) %}<{{ x }}>{% endmacro %}{% autoescape true %}{{ '<' }}{{ '<' ~ messages[0].role ~ ('&'|safe) }}{{ '<' ~ 1 }}
        {% set x %}<{{ '<' }}{% endset %}{{ x }}{{ ['<', '<'|safe]|join('&') }}{{ '<'|replace('<', '>') }}{{ m('<') }}
        {{ messages }}{{ ('<'|safe) + '<' }}{% filter upper %}<a>{{ '<' }}{% endfilter %}{% endautoescape %}{{ m('<') }}""",
    "volatile autoescape": """{% autoescape messages|length > 0 %}{{ '<' }}{{ '<' ~ 1 }}{{ ['<']|join('&') }}<
        {% set x %}<{% endset %}{{ x }}{% endautoescape %}{{ '<' }}""",
    "scoped blocks": """{% for m in messages %}{% block b scoped %}{{ m.role }}{{ loop.index }}{% endblock %}
        {% endfor %}{% block c %}{% set y = 1 %}{{ y }}{{ self.b is defined }}{% endblock %}""",
    "variables of every kind of scope": """{% set x = 1 %}{% macro f() %}{{ x }}{% set x = 2 %}{{ x }}{% endmacro %}{{ f() }}
        {{ x }}{% for i in [1, 2] %}{% set x = x + i %}{{ x }}{% for i in [3] %}{{ i }}{{ x }}{% endfor %}{{ i }}{% endfor %}
        {{ i is defined }}{% call f() %}{% endcall %}{% filter trim %} {{ x }} {% endfilter %}{% if x %}{% set z = 3 %}
        {% endif %}{{ z }}""",
    "iterators": """{% set it = messages|map(attribute='role') %}{{ it|first }}{{ it|list }}{% set it = [1, 2]|reverse %}
        {{ it|list }}{{ it|list }}{% for x in 'abc'|reverse %}{{ x }}{{ loop.last }}{% endfor %}
        {% for x in messages|selectattr('role', 'eq', 'user') %}{{ loop.length }}{{ loop.revindex }}{% endfor %}
        {% for a, b in {'k': 1, 'l': 2}.items() %}{{ a }}{{ b }}{{ loop.nextitem is defined }}{% endfor %}
        {{ 2 in ([1, 2]|map('abs')) }}{{ [1, 2]|map('abs')|length is defined if false }}{% for x in range(3) %}{{ loop.length }}{% endfor %}""",
    "numbers": """{{ 2 ** 100 }}{{ 2 ** -1 }}{{ 7 // -2 }}{{ -7 % 3 }}{{ 1e22 }}{{ 0.1 + 0.2 }}{{ 10 ** 20 + 1 }}{{ 5 - 2.5 }}
        {{ true + true }}{{ 3.7|int }}{{ '0x1f'|int(base=16) }}{{ 3|round(1) }}{{ 2.5|round }}{{ 1234.5|round(-2) }}
        {{ [0.1, 0.2, 0.3]|sum }}{{ [[1], [2]]|sum(start=[]) }}{{ messages|map(attribute='content')|map('length')|sum }}""",
    "sets of keys": """{{ ({'a': 1, 'b': 2}.keys() - {'a': 1}.keys())|list }}{{ {'a': 1}.keys() == {'a': 2}.keys() }}
        {{ {'a': 1}.keys().isdisjoint(['a']) }}{{ {'a': 1}.items()|list }}{{ 1 in {'a': 1}.values() }}""",
    "division by zero": "a\n{{ 1 / 0 }}",
    "bad iteration": "{% for x in 5 %}{% endfor %}",
    "bad unpacking": "{% for a, b in [1] %}{% endfor %}",
    "bad attribute of none": "{{ none.x.y }}",
    "bad key": "{{ {}['x'].y }}",
    "bad index": "{{ [][5].y }}{{ [1][-1] }}",
    "bad macro call": "{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}",
    "bad macro keyword": "{% macro f(a) %}{% endmacro %}{{ f(b=2) }}",
    "bad call": "{{ 'x'() }}",
    "bad json": "{{ undefined_name|tojson }}",
    "bad comparison": "{{ 1 < 'a' }}",
    "bad containment": "{{ 1 in 5 }}",
    "bad substring": "{{ 1 in 'a' }}",
    "bad key type": "{{ {[1]: 2} }}",
    "bad format": "{{ '%d' % 'x' }}",
    "bad format arguments": "{{ '%s %s' % (1,) }}",
    "bad format field": "{{ '{} {}'.format(1) }}",
    "bad method argument": "{{ 'a'.split(1) }}",
    "bad join": "{{ ','.join([1]) }}",
    "bad recursive loop": "{% for x in [1] %}{{ loop([2]) }}{% endfor %}",
    "bad sort": "{{ [1, 'a']|sort }}",
    "bad namespace": "{% set x = 1 %}{% set x.y = 2 %}",
    "bad slice": "{{ messages[0].role['a':] }}",
    "bad cycle": "{% for x in [1] %}{{ loop.cycle() }}{% endfor %}",
    "call block of no macro": "x{% call dict(a=1) %}{% endcall %}",
    "filter block without text": "xy{% filter length %}abc{% endfilter %}",
    "call block of no macro in a macro": "{% macro m() %}a{% call dict(a=1) %}{% endcall %}{% endmacro %}{{ m() }}",
    "filter block without text in a block": "{% set x %}b{% filter length %}abc{% endfilter %}{% endset %}{{ x }}",
    "no caller": "{% macro f() %}{{ caller() }}{% endmacro %}{{ f() }}",
    "line numbers": "a\nb\n{% for m in messages %}\n  {{ m.content.nope.nope }}\n{% endfor %}",
}
CONVERSATION = [SYSTEM, message("user", "Hello World, über?"), message("assistant", "Ja\nx")]


@pytest.fixture(scope="module")
def tokenizer():
    return reference_tokenizer()


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_construct_renders_as_the_reference(tokenizer, name):
    case = Case(name, CONVERSATION, {"tools": TOOLS})
    assert ours(ChatPrompts(SPECIAL), CONSTRUCTS[name], case) == reference(
        tokenizer, CONSTRUCTS[name], case
    )
