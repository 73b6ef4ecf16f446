# ruff: noqa: E501 (templates)
"""Templates that fail on a conversation, or are none: the error is transformers', with the line."""

import re

import pytest
from chat_cases import HELLO
from compare_chat_templates import SPECIAL, reference_tokenizer

from textcore.chat.errors import TemplateFailure, TemplateSecurityError
from textcore.chat.prompts import ChatPrompts

CONVERSATION = [
    {"role": "user", "content": "hi", "n": 3, "l": [1, 2, "x"], "d": {"a": 1, "b": None}, "u": "é"}
]
# Names of classes and functions that are ours here, and Jinja's or the reference's there.
INTERNAL = re.compile(
    r"_cached_compile_jinja_template\.<locals>\."
    r"|jinja2\.sandbox\.SandboxedEnvironment|textcore\.core\.rendering\.Meter"
    r"|(?:jinja2|transformers|textcore)\.[\w.]*(?:Namespace|Macro|LoopContext|TemplateDict|DictFactory)"
)

EXPRESSIONS = r"""
x.y
x.y.z
messages.foo.bar
messages[0].foo.bar
messages[9].role
messages['a'].role
messages[0]['zz']['y']
messages[0].content.foo.bar
'a' + none
'a' + 1
1 + 'a'
[1] + 'a'
'a' + [1]
'a' + x
x + 'a'
'a' + messages[0].zz
messages[0].zz + 'a'
{'a':1} + {'b':2}
none + none
'a' - 'b'
1 - 'a'
'a' * 'b'
'a' * 1.5
[1] * 'a'
1 / 0
1 // 0
1 % 0
1.0 % 0
0 ** -1
'a' / 'b'
'a' // 'b'
'%d' % 'a'
'%s %s' % 'a'
'%s' % ('a','b')
'%q' % 1
'%(a)s' % 'x'
'%(a)s' % {'b': 1}
-'a'
+'a'
-x
1 < 'a'
'a' < none
[1] < 1
x < 1
{'a':1} < {'b':2}
1 in 5
1 in none
'a' in 5
1 in 'abc'
'a' in x
[1] in {'a':1}
1 not in 5
'a' not in none
messages[0].n in messages[0].n
'x' in messages[0].n
'x'()
none()
x()
messages[0].content()
messages.append(1)
messages[0].update({'a':1})
messages[0].pop('a')
messages[0].clear()
messages.sort()
messages[0].content.nope()
messages[0].content.split(1)
messages[0].content.split('')
messages[0].content.split('a', 'b')
messages[0].content.split('a', 1, 2)
messages[0].content.split(foo=1)
messages[0].content.strip(1)
messages[0].content.strip('a','b')
messages[0].content.startswith(1)
messages[0].content.startswith()
messages[0].content.startswith(['a'])
messages[0].content.endswith(none)
messages[0].content.replace('a')
messages[0].content.replace(1, 2)
messages[0].content.replace('a', 2)
messages[0].content.replace('a', 'b', 'c')
messages[0].content.join(1)
messages[0].content.join([1])
messages[0].content.join()
messages[0].content.join(['a'], 1)
messages[0].content.join([x])
messages[0].content.join({'a':1}, a=2)
messages[0].content.index('zzz')
messages[0].content.rindex('zzz')
messages[0].content.find()
messages[0].content.find(1)
messages[0].content.count(1)
messages[0].content.count()
messages[0].content.center('a')
messages[0].content.center(5, 'ab')
messages[0].content.zfill('a')
messages[0].content.ljust()
messages[0].content.expandtabs('a')
messages[0].content.encode(1)
messages[0].content.title(1)
messages[0].content.upper(1)
messages[0].content.lower(a=1)
messages[0].content.splitlines('a', 'b')
messages[0].content.partition('')
messages[0].content.partition(1)
messages[0].content.removeprefix(1)
messages[0].content.removeprefix()
messages[0].content.translate()
messages[0].content.translate(5)
messages[0].content.format_map()
messages[0].content.format_map(1, 2)
messages[0].content.isdigit(1)
'{}'.format()
'{a}'.format()
'{0} {1}'.format(1)
'{:d}'.format('a')
'{:>x}'.format('a')
'{'.format()
'}'.format()
'{!x}'.format(1)
'{a}'.format_map({})
'{a}'.format_map(5)
messages[0].d.get()
messages[0].d.get(1,2,3)
messages[0].d.get([1])
messages[0].d.items(1)
messages[0].d.keys(1)
messages[0].d.nope()
messages[0].l.index(99)
messages[0].l.count()
messages[0].l.nope()
messages[0].l[0].x.y
messages[0].l['a'].x
messages[0].n.x.y
messages[0].n.bit_length(1)
messages[0].l[1:'a']
messages[0].l['a':]
messages[0].l[::0]
'abc'[::0]
messages[0].n[0]
messages[0].n[1:2]
messages[0].d[1:2]
none[0]
none.x.y
x[0]
x[1:2]
namespace(1)
namespace(a=1).b.c
namespace([1])
namespace(_a=1)
range()
range('a')
range(1,2,3,4)
range(200000)
range(0, 10, 0)
dict(1)
dict([1])
dict([[1]])
dict([[1,2,3]])
dict([[[1],2]])
dict.fromkeys(1)
dict.fromkeys([[1]])
dict.nope()
cycler()
cycler(1).nope()
joiner(1,2)
raise_exception()
raise_exception(1)
raise_exception(x)
raise_exception(messages[0])
raise_exception(none)
raise_exception('')
strftime_now()
strftime_now(1)
{'a': 1}[[1]]
{[1]: 2}
{x: 2}
{x.y: 2}
self.foo()
self.nope
loop.index
caller()
super()
varargs
messages.__class__
messages.__class__.__mro__
messages[0].content.__len__()
''.__class__.__base__
(messages|attr('__class__')).x
messages|first|attr('__class__')
messages[0].content._x.y
messages[0]._x.y
f'x'
1 if x.y
'a' ~ x.y
'a' ~ x
x ~ 'a'
x|length
x.y|length
messages|map('x')|list
messages|map()|list
messages|map(attribute='a.b.c')|list
messages|map(attribute='role.x.y')|join
messages|select('nope')|list
messages|select('equalto')|list
messages|selectattr()|list
messages|selectattr('a', 'nope')|list
messages|selectattr('a', 'equalto')|list
messages|rejectattr('a.b', 'equalto', 1, 2)|list
messages|map('nope')|list
messages|sort
messages|sort(attribute='n')|first|nope
messages|sort(attribute=1)
messages|sort(foo=1)
[1,'a']|sort
[1,none]|sort
[1,'a']|min
[1,'a']|max
[]|min|length
[x, 1]|max
[1,'a']|sum
['a','b']|sum
[[1],[2]]|sum
[1]|sum(start='a')
[1]|sum(start=[])
1|sum
none|sum
x|sum
[1]|join(1)
[1]|join(1,2,3)
1|join
none|join(',')
x|join(',')
[1]|join(d=',', attribute='a.b')
1|list
none|list
1|first
none|first
none|last
1|last
1|length
none|length
1|reverse
none|reverse
1|items|list
'a'|items|list
[[1,2]]|items|list
1|dictsort
'a'|dictsort
messages[0].d|dictsort(by='x')
messages[0].d|dictsort(1,2,3,4)
{'a':1, 2:3}|dictsort
{'a':1, 'b':'x'}|dictsort(by='value')
1|batch(2)|list
[1]|batch('a')|list
[1]|batch(0)|list
[1]|batch()|list
1|slice(2)|list
[1]|slice('a')|list
[1]|slice(0)|list
[1]|slice()|list
1|unique|list
[[1]]|unique|list
[1]|unique(attribute='a')|list
1|groupby('a')
[1]|groupby('a')
[{'a':1},{'a':'x'}]|groupby('a')
messages|groupby()
1|tojson(indent='a')
x|tojson
messages[0].zz|tojson
{'a': x}|tojson
messages|tojson(indent=1.5)
messages|tojson(indent=[1])
messages|tojson(separators=1)
messages|tojson(separators=0)
messages|tojson(separators=['a'])
messages|tojson(separators=['a','b','c'])
messages|tojson(separators=[1,2])
messages|tojson(nope=1)
{1:2,'a':3}|tojson(sort_keys=true)
{(1,2):2}|tojson
range(3)|tojson
'a'|trim(1)
'a'|trim('a','b')
'a'|trim(x)
1|trim
none|trim
x|trim
'a'|upper(1)
'a'|lower(1)
'a'|title(1)
'a'|capitalize(1)
'a'|string(1)
'a'|safe(1)
'a'|escape(1)
'a'|replace
'a'|replace('a')
'a'|replace('a',1)
'a'|replace(1,'a')
'a'|replace('a','b','c')
'a'|replace('a','b',1,2)
'a'|replace(old='a')
'a'|replace('a', x)
x|replace('a','b')
'a'|indent('a')
'a'|indent(1.5)
'a'|indent(none)
1|indent
none|indent
x|indent
'a'|indent(1,2,3,4)
'a'|center('a')
'a'|center(1,2)
'a'|center(none)
'a'|truncate('a')
1|truncate
'a'|truncate(2)
'a'*300|truncate(1)
('a'*300)|truncate(-5)
('a'*300)|truncate('a')
('a'*300)|truncate(1)
1|wordwrap
'a'|wordwrap(0)
'a'|wordwrap(-1)
'a'|wordwrap('a')
1|wordcount
'a'|wordcount(1)
'a'|format(1)
'%d'|format('a')
'%s'|format(a=1)
'%s'|format(1, a=1)
1|format(1)
x|format
'a'|int(1,2,3)
'a'|int(base=99)
'10'|int(base='a')
x|int
none|int
[1]|int
'a'|float(1,2)
none|float
[1]|float
'a'|abs
none|abs
x|abs
'a'|round
1.5|round(1, 'nope')
1.5|round('a')
1.5|round(method='x')
none|round
'a'|filesizeformat
none|filesizeformat
1|urlize
none|urlize
'a'|urlize(1,2,3,4,5,6,7)
1|urlencode
none|urlencode
x|urlencode
[1]|urlencode
1|xmlattr
none|xmlattr
{'a b':1}|xmlattr
1|striptags
1|pprint
x|pprint
[]|random
none|random
1|attr
1|attr(1)
1|attr('a').b
x|attr('a')
1|default
1|default(1,2,3)
x|default(y.z)
x|d
1|nope
1|nope.x
x is nope
1 is divisibleby(0)
'a' is divisibleby(2)
1 is divisibleby('a')
1 is divisibleby
'a' is odd
none is odd
x is odd
'a' is even
1 is sameas
1 is in(5)
1 is in
1 is equalto
1 is gt('a')
1 is lt(none)
1 is defined(1)
1 is string(1)
1 is filter
[1] is filter
1 is test
1 is lower
x is upper
none is callable(1)
1 is iterable(2)
[1,2]|first(1)
[1,2]|last(1,2)
[1,2]|length(3)
[1,2]|list(3)
[1,2]|reverse(1)
x|list|first|upper
(1,2)|first.x
1.x
'abc'.5
""".strip().split("\n")

STATEMENTS = r"""
{% for a in 5 %}{% endfor %}
{% for a in none %}{% endfor %}
{% for a in x %}{% endfor %}
{% for a in x.y %}{% endfor %}
{% for a, b in [1] %}{% endfor %}
{% for a, b in [[1]] %}{% endfor %}
{% for a, b in [[1,2,3]] %}{% endfor %}
{% for a, b in messages[0].d %}{% endfor %}
{% for a, b in 5|items %}{% endfor %}
{% for a, b in 'x'|items %}{% endfor %}
{% for a, b in none|items %}{% endfor %}
{% for a in messages %}{{ a.b.c }}{% endfor %}
{% for a in messages if a.b.c %}{% endfor %}
{% for a in messages %}{{ loop.nope.x }}{% endfor %}
{% for a in messages %}{{ loop(1) }}{% endfor %}
{% for a in messages recursive %}{{ loop(1) }}{% endfor %}
{% for a in messages %}{{ loop.cycle() }}{% endfor %}
{% for a in messages %}{{ loop.previtem.x }}{% endfor %}
{% for a in messages %}{{ loop.nextitem.x }}{% endfor %}
{% for a in messages %}{% set loop.x = 1 %}{% endfor %}
{% set x.y = 1 %}
{% set messages.y = 1 %}
{% set ns = namespace() %}{% set ns._a = 1 %}
{% set ns = namespace() %}{% set ns.__class__ = 1 %}
{% set ns = namespace() %}{{ ns.x.y }}
{% set a, b = [1] %}
{% set a, b = 1 %}
{% set a, b = [1,2,3] %}
{% macro m(a) %}{{ a.b.c }}{% endmacro %}{{ m(1) }}
{% macro m(a) %}{{ a.b }}{% endmacro %}{{ m() }}
{% macro m(a) %}{% endmacro %}{{ m(1,2) }}
{% macro m(a) %}{% endmacro %}{{ m(b=1) }}
{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}
{% macro m(a=1, b) %}{% endmacro %}{{ m() }}
{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}{{ caller(1) }}{% endmacro %}{% call m() %}x{% endcall %}
{% macro m() %}{% endmacro %}{% call m() %}x{% endcall %}
{% macro m() %}{{ m() }}{% endmacro %}{{ m.x.y }}
{% macro m() %}{{ varargs.x.y }}{% endmacro %}{{ m(1) }}
{% macro m() %}{{ kwargs.x.y }}{% endmacro %}{{ m(a=1) }}
{% call x() %}{% endcall %}
{% call 5() %}{% endcall %}
{% filter nope %}{% endfilter %}
{% filter trim(1,2,3) %}a{% endfilter %}
{% include 'a' %}
{% import 'a' as b %}
{% extends 'a' %}
{% from 'a' import b %}
{% include x %}
{% block a %}{{ x.y.z }}{% endblock %}
{% block a %}{% endblock %}{% block a %}{% endblock %}
{% generation %}{{ x.y.z }}{% endgeneration %}
{% generation %}
{% generation x %}{% endgeneration %}
{% if x.y.z %}{% endif %}
{% if %}{% endif %}
{% if x %}
{% for %}{% endfor %}
{% for a in b %}
{% endfor %}
{% else %}
{% nope %}
{{ x
{% x
{# x
{{ }}
{{ a b }}
{{ 'a }}
{{ a. }}
{{ a| }}
{{ a is }}
{{ (a }}
{{ [a }}
{{ {a }}
{{ {a: } }}
{{ a[ }}
{{ a[1 }}
{{ a(b=1, 2) }}
{{ a(*b, *c) }}
{{ a(**b, **c) }}
{{ f(**5) }}
{{ dict(**5) }}
{{ dict(*5) }}
{{ namespace(*messages) }}
{{ dict(**{1:2}) }}
{{ 1 + }}
{{ + }}
{{ ! }}
{{ a ? b }}
{{ $ }}
{{ a = 1 }}
{% set a %}
{% set = 1 %}
{% set a = %}
{% set 1 = 2 %}
{% set true = 2 %}
{% set a.b.c = 2 %}
{% with a = x.y.z %}{% endwith %}
{% with a %}{% endwith %}
{% do 1 %}
{% raw %}
{% autoescape x.y.z %}{% endautoescape %}
{% autoescape true %}{{ x.y.z }}{% endautoescape %}
{% autoescape true %}{{ '<' + 1 }}{% endautoescape %}
{% trans %}x{% endtrans %}
{% debug %}
{% macro %}{% endmacro %}
{% macro a %}{% endmacro %}
{% macro a( %}{% endmacro %}
{% macro loop() %}{% endmacro %}{{ loop.x.y }}
{% call a %}{% endcall %}
{{ 'a' 'b' 5 }}
{{ "\x" }}
{{ '\N{nope}' }}
{{ '\u12' }}
{{ 1_000_ }}
{{ 0x }}
{{ 1e }}
{{ a if b else }}
{{ not }}
{{ a not b }}
{{ a is not }}
{{ a in }}
{{ loop }}{{ loop.x.y }}
""".strip().split("\n")
TEMPLATES = [f"\n{{{{ {expression} }}}}" for expression in EXPRESSIONS]
TEMPLATES += [f"\n{statement}" for statement in STATEMENTS]


@pytest.fixture(scope="module")
def tokenizer():
    return reference_tokenizer()


def ours(template):
    prompts = ChatPrompts(SPECIAL)
    return prompts.render(CONVERSATION, chat_template=template, add_generation_prompt=False)


@pytest.mark.parametrize("template", TEMPLATES)
def test_failure_is_the_references_and_has_a_line(tokenizer, template):
    options = {"chat_template": template, "tokenize": False, "add_generation_prompt": False}
    expected, problem = None, None
    try:
        expected = tokenizer.apply_chat_template(CONVERSATION, **options)
    except Exception as error:
        problem = error
    if problem is None:
        assert ours(template) == expected
        return
    with pytest.raises(TemplateFailure) as mine:
        ours(template)
    assert INTERNAL.sub("", mine.value.message) == INTERNAL.sub("", str(problem))
    assert mine.value.line == 2


@pytest.mark.parametrize("statement", ["break", "continue"])
def test_statement_outside_a_loop_has_the_templates_line(statement):
    with pytest.raises(TemplateFailure) as mine:
        ours(f"{{% if messages %}}\n\n{{% {statement} %}}{{% endif %}}")
    assert statement in mine.value.message
    assert mine.value.line == 3


@pytest.mark.parametrize(
    "call",
    [
        "raise_exception('a', 'b')",
        "strftime_now('%Y', 1)",
        "dict.fromkeys()",
        "messages|tojson(1,2,3,4,5)",
    ],
)
def test_wrong_arguments_of_a_helper_are_refused(call):
    with pytest.raises(TemplateFailure, match="positional argument"):
        ours("{{ " + call + " }}")


@pytest.mark.parametrize("arguments", ["", "1, 2"])
def test_wrong_arguments_of_a_recursive_loop_are_refused(arguments):
    with pytest.raises(TemplateFailure, match="is called with one iterable"):
        ours(f"{{% for m in messages recursive %}}{{{{ loop({arguments}) }}}}{{% endfor %}}")


def test_codec_that_is_not_offered_is_refused():
    with pytest.raises(TemplateSecurityError, match="'nope' is not available"):
        ours("{{ 'a'.encode('nope') }}")


def test_hello_is_accepted():
    assert (
        ChatPrompts(SPECIAL).render([HELLO], chat_template="{{ messages[0].content }}")
        == HELLO["content"]
    )
