"""A ChatML template of our own, for models that come without one."""

from __future__ import annotations

CHATML_TEMPLATE = r"""
{#- The text of a message: a string, or the text parts of a list. #}
{%- macro text_of(content) %}
    {%- if content is string %}
        {{- content }}
    {%- else %}
        {%- for part in content or [] if part.type == 'text' %}
            {{- part.text }}
        {%- endfor %}
    {%- endif %}
{%- endmacro %}

{%- macro tool_list(tools) %}
    {{- '# Tools\n\nYou can call these functions to answer the user. ' }}
    {{- 'Each is described by a JSON object in <tools></tools>:\n<tools>' }}
    {%- for tool in tools %}
        {{- '\n' ~ tool | tojson }}
    {%- endfor %}
    {{- '\n</tools>\n\nTo call one, write a JSON object with its name and arguments:\n' }}
    {{- '<tool_call>\n{"name": <name>, "arguments": <object>}\n</tool_call>' }}
{%- endmacro %}

{%- macro tool_call_list(tool_calls, after_text) %}
    {%- for tool_call in tool_calls %}
        {%- set call = tool_call.function or tool_call %}
        {%- if after_text or not loop.first %}
            {{- '\n' }}
        {%- endif %}
        {{- '<tool_call>\n{"name": ' ~ call.name | tojson ~ ', "arguments": ' }}
        {%- if call.arguments is string %}
            {{- call.arguments or '{}' }}
        {%- else %}
            {{- (call.arguments or {}) | tojson }}
        {%- endif %}
        {{- '}\n</tool_call>' }}
    {%- endfor %}
{%- endmacro %}

{#- Reasoning is kept only after the last question of the user: older reasoning is dropped. #}
{%- set ns = namespace(last_question=-1) %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {%- set ns.last_question = loop.index0 %}
    {%- endif %}
{%- endfor %}

{%- set has_system = messages[0].role == 'system' %}
{%- if has_system or tools %}
    {{- '<|im_start|>system\n' }}
    {%- if has_system %}
        {{- text_of(messages[0].content) }}
        {{- '\n\n' if tools }}
    {%- endif %}
    {%- if tools %}
        {{- tool_list(tools) }}
    {%- endif %}
    {{- '<|im_end|>\n' }}
{%- endif %}

{%- for message in messages %}
    {%- if message.role == 'tool' %}
        {#- Results that follow each other share one turn. #}
        {%- if loop.previtem is undefined or loop.previtem.role != 'tool' %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\n<tool_response>\n' ~ text_of(message.content) ~ '\n</tool_response>' }}
        {%- if loop.nextitem is undefined or loop.nextitem.role != 'tool' %}
            {{- '<|im_end|>\n' }}
        {%- endif %}
    {%- elif message.role == 'assistant' %}
        {%- set content = text_of(message.content) %}
        {%- set reasoning = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set reasoning = content.split('</think>')[0].split('<think>')[-1] %}
            {%- set content = content.split('</think>')[1:] | join('</think>') %}
        {%- endif %}
        {%- set content = content.lstrip('\n') %}
        {{- '<|im_start|>assistant\n' }}
        {%- generation %}
            {%- if loop.index0 > ns.last_question and (loop.last or reasoning) %}
                {{- '<think>\n' ~ reasoning.strip('\n') ~ '\n</think>\n\n' }}
            {%- endif %}
            {{- content }}
            {%- if message.tool_calls %}
                {{- tool_call_list(message.tool_calls, content) }}
            {%- endif %}
            {{- '<|im_end|>\n' }}
        {%- endgeneration %}
    {%- elif not (loop.first and has_system) %}
        {{- '<|im_start|>' ~ message.role ~ '\n' ~ text_of(message.content) ~ '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}

{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}
"""
"""ChatML with tools, tool results, and reasoning that ``enable_thinking=False`` switches off."""
