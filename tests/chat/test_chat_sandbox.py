"""Published escapes of Jinja's sandbox, and of servers that rendered templates without one."""

import pytest

from textcore.chat.errors import TemplateFailure
from textcore.chat.templates import render_chat

# Each would run code, or read what is not the template's, were it to get through.
ESCAPES = r"""
{{ ''.__class__.__mro__[1].__subclasses__() }}
{{ ''['__class__']['__mro__'][1]['__subclasses__']() }}
{{ [].__class__.__base__.__subclasses__()[40]('/etc/passwd').read() }}
{{ {}.__class__.__bases__[0].__subclasses__()|length }}
{{ messages.__class__.__init__.__globals__.x }}
{{ self.__init__.__globals__.__builtins__.open('/etc/passwd') }}
{{ self._TemplateReference__context.x }}
{{ self.__dict__._TemplateReference__context.eval_ctx }}
{{ cycler.__init__.__globals__.os.popen('id').read() }}
{{ joiner.__init__.__globals__.os.popen('id').read() }}
{{ namespace.__init__.__globals__.os.popen('id').read() }}
{{ lipsum.__globals__.os.popen('id').read() }}
{{ lipsum.__globals__['__builtins__']['__import__']('os') }}
{{ lipsum['__globals__']['os'] }}
{{ lipsum._function.__globals__.os }}
{{ range.__class__.x }}
{{ dict.__class__.mro().x }}
{{ dict.mro().x }}
{{ dict.fromkeys.__self__.x }}
{{ raise_exception.__globals__.x }}
{{ raise_exception._function.__code__.x }}
{{ strftime_now.__call__.__globals__.x }}
{{ namespace(a=1).__class__.x }}
{{ namespace(a=1)._Namespace__attrs.x }}
{{ namespace(__class__=1) }}
{{ namespace({'__init__': 1}) }}
{% set ns = namespace() %}{% set ns.__class__ = 1 %}
{% set ns = namespace() %}{% set ns._x = 1 %}
{{ cycler('a').__class__.__init__.__globals__.x }}
{{ cycler('a').next.__globals__.x }}
{{ cycler('a').next.__func__.__globals__.x }}
{{ joiner(',').__call__.__globals__.x }}
{% for x in [1] %}{{ loop.__class__.__init__.x }}{% endfor %}
{% for x in [1] %}{{ loop._iterable.x }}{% endfor %}
{% for x in [1] %}{{ loop.cycle.__self__.x }}{% endfor %}
{% macro m() %}{% endmacro %}{{ m.__class__.__init__.x }}
{% macro m() %}{% endmacro %}{{ m._func.__globals__.x }}
{% macro m() %}{% endmacro %}{{ m.function.__globals__.x }}
{% macro m() %}{% endmacro %}{{ m.context.x }}
{% macro m() %}{{ caller.__init__.x }}{% endmacro %}{% call m() %}{% endcall %}
{{ '{0.__class__.__mro__[1]}'.format('') }}
{{ '{0[__class__].x}'.format('') }}
{{ '{a.__class__.__init__.__globals__}'.format(a=lipsum) }}
{{ ('{0.__class__}'|safe).format_map({'0': 1}) }}
{% set f = '{0.__class__.__mro__}'.format %}{{ f(1) }}
{{ [1]|map(attribute='__class__')|list|first|attr('x') }}
{{ ([1]|map(attribute='__class__')|list)[0].x }}
{{ ([1]|map('attr', '__class__')|list)[0].x }}
{{ ([lipsum]|map(attribute='__globals__.os')|list)[0].x }}
{{ ([lipsum]|groupby('__globals__'))[0].grouper.x }}
{{ ([lipsum]|sort(attribute='__globals__.x')) }}
{{ ([lipsum]|sum(attribute='__globals__')) }}
{{ ([lipsum]|selectattr('__globals__.os.x')|list)[0].y }}
{{ (x for x in [1]) }}
{{ (messages|map('string')).gi_frame.f_globals }}
{{ (messages|map('string')).gi_frame.f_back.f_locals }}
{{ (messages|map('string')).gi_code.co_consts }}
{{ messages.append(1) }}
{{ messages.extend([1]) }}
{{ messages.insert(0, 1) }}
{{ messages.pop() }}
{{ messages.clear() }}
{{ messages.sort() }}
{{ messages.reverse() }}
{{ messages.remove(messages[0]) }}
{{ messages[0].update({'role': 'x'}) }}
{{ messages[0].pop('role') }}
{{ messages[0].popitem() }}
{{ messages[0].clear() }}
{{ messages[0].setdefault('x', 1) }}
{{ (messages|attr('append'))(1) }}
{{ messages['append'](1) }}
{{ ([messages]|map(attribute='append')|first)(1) }}
{{ messages[0].keys().mapping.__class__.x }}
{{ messages[0].items().__iter__().x }}
{{ ''.join.__self__.x }}
{{ ''.join.__call__('a') }}
{{ ''.encode.__class__.x }}
{{ (1).__class__.__base__.x }}
{{ (1).real.__class__.x }}
{{ true.__class__.x }}
{{ none.__class__.x }}
{{ undefined_name.__class__.x }}
{{ missing_name._fail_with_undefined_error.__globals__ }}
{{ missing_name._undefined_obj.x }}
{% include '/etc/passwd' %}
{% import 'os' as os %}{{ os }}
{% from 'os' import popen %}{{ popen }}
{% extends '/etc/passwd' %}
{{ config.x }}
{{ request.application.__globals__ }}
{{ url_for.__globals__ }}
{{ get_flashed_messages.__globals__ }}
{{ environment.x }}
{{ context.x }}
{{ meter.charge(-1) }}
{{ c_attr('', '__class__') }}
{{ resolve('messages') }}
{{ t_1.x }}
{{ l_0_messages.x }}
{{ __builtins__.x }}
{{ [].__class_getitem__(1).__origin__.x }}
{{ ''.__reduce_ex__(2) }}
{{ ''.__getattribute__('__class__').x }}
{{ messages.__getitem__(0) }}
{{ messages.__len__.__self__.x }}
{{ ''.translate.__text_signature__.x }}
{{ {}.get.__qualname__.x }}
{{ raise_exception(messages.__class__) or missing.x }}
{{ range.__call__.x }}
{% set caller = lipsum %}{{ caller.__globals__.x }}
{{ 'a'.format.__wrapped__.x }}
{{ 'a'.format._text.x }}
{{ 'a'.format._environment.x }}
""".strip().splitlines()


@pytest.mark.parametrize("template", ESCAPES)
def test_escape_fails(template):
    messages = [{"role": "user", "content": "x"}]
    with pytest.raises(TemplateFailure):
        render_chat(template, messages)
    assert messages == [{"role": "user", "content": "x"}]


@pytest.mark.parametrize(
    "template",
    [
        "{{ lipsum.__globals__ }}",
        "{{ (''|attr('__class__'))|attr('__mro__')|first }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ '{a.__class__}'.format_map({'a': 1}) }}",
        "{{ ('{0.__class__}'|attr('format'))(1) }}",
        "{{ ''|attr('format')|attr('__self__')|attr('__class__') }}",
        "{{ ('{0.__class__}'|safe).format(1) }}",
        "{{ ['{0.__class__}'.format]|map('attr', '__call__')|first }}",
        "{{ '%s'|attr('__class__')|attr('__base__') }}",
        "{{ ''.__class__ }}",
        "{{ ''|attr('__class__') }}",
        "{{ messages.append }}",
        "{{ lipsum._function }}",
        "{{ '{0.__class__}'.format.__self__ }}",
        "{% for x in [1] %}{{ loop._iterable }}{% endfor %}",
        "{% macro m() %}{% endmacro %}{{ m._func }}{{ m.function }}",
        "{{ namespace(a=1)._Namespace__attrs }}{{ namespace(a=1).attributes }}",
        "{{ (messages|map('string')).gi_frame }}",
    ],
)
def test_what_is_not_for_templates_is_undefined(template):
    assert render_chat(template, [{"role": "user", "content": "x"}]) == ""


def test_callers_data_is_never_changed():
    messages = [{"role": "user", "content": ["a"]}]
    render_chat(
        "{% set x = messages + [1] %}{{ x|indent if false }}{{ messages[0]|length }}", messages
    )
    assert messages == [{"role": "user", "content": ["a"]}]
