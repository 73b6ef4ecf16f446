"""Small chat templates of ours, one in each wire format, their markers as parameters."""

from __future__ import annotations

HEAD = """\
{%- for m in messages %}
{%- if m.role != 'assistant' %}{{ U }}{{ m.role }}{{ S }}{{ m.content }}{{ E }}
{%- else %}{{ U }}bot{{ S }}
"""
TAIL = """\
{{- E }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ U }}bot{{ S }}{% endif %}"""

REASONING = """\
{%- if m.reasoning_content %}{{ R1 + m.reasoning_content + R2 }}{% endif %}
"""
CONTENT = "{{- m.content or '' }}\n"

# How calls are written, by the name of the spelling.
CALLS = {
    "object": """\
{%- for c in m.tool_calls or [] %}{{ '\\n' + A + '\\n{"fn": "' + c.function.name + '", "with": ' }}
{{- c.function.arguments | tojson }}{{ '}\\n' + B }}{% endfor %}
""",
    "list": """\
{%- if m.tool_calls %}{{ A + '[' }}
{%- for c in m.tool_calls %}{{ '{"arguments": ' }}{{ c.function.arguments | tojson }}
{{- ', "name": "' + c.function.name + '"}' }}{% if not loop.last %}, {% endif %}
{%- endfor %}{{ ']' + B }}{% endif %}
""",
    "keyed": """\
{%- if m.tool_calls %}{{ A + '[' }}
{%- for c in m.tool_calls %}{{ '{"' + c.function.name + '": ' }}{{ c.function.arguments | tojson }}
{{- '}' }}{% if not loop.last %}, {% endif %}
{%- endfor %}{{ ']' + B }}{% endif %}
""",
    "named": """\
{%- if m.tool_calls %}{{ A }}
{%- for c in m.tool_calls %}{{ C + c.function.name + D }}{{ c.function.arguments | tojson }}
{{- F }}{% endfor %}{{ B }}{% endif %}
""",
    "parameters": """\
{%- for c in m.tool_calls or [] %}{{ '\\n' + A + '\\n' + C + c.function.name + D + '\\n' }}
{%- for k, v in c.function.arguments.items() %}{{ G + k + H + '\\n' }}
{{- v if v is string else v | tojson }}{{ '\\n' + I + '\\n' }}{% endfor %}
{{- F + '\\n' + B }}{% endfor %}
""",
    "key and value": """\
{%- for c in m.tool_calls or [] %}{{ A + c.function.name + '\\n' }}
{%- for k, v in c.function.arguments.items() %}{{ G + k + H + '\\n' + J }}
{{- v if v is string else v | tojson }}{{ I + '\\n' }}{% endfor %}
{{- B }}{% endfor %}
""",
    "python": """\
{%- if m.tool_calls %}{{ A + '[' }}
{%- for c in m.tool_calls %}{{ c.function.name + '(' }}
{%- for k, v in c.function.arguments.items() %}{{ k + '=' }}{{ v | tojson }}
{%- if not loop.last %}, {% endif %}{% endfor %}{{ ')' }}
{%- if not loop.last %}, {% endif %}{% endfor %}{{ ']' + B }}{% endif %}
""",
}

MARKERS: tuple[dict[str, str], ...] = (
    {
        "U": "<|turn|>", "S": "<|says|>", "E": "<|over|>", "R1": "<musing>", "R2": "</musing>",
        "A": "<|use|>", "B": "<|/use|>", "C": "<do=", "D": ">", "F": "</do>",
        "G": "<arg:", "H": ">", "I": "</arg>", "J": "<is>",
    },
    {
        "U": "<start>", "S": "</start>", "E": "<stop>", "R1": "<|考|>", "R2": "<|/考|>",
        "A": "<outil>", "B": "</outil>", "C": "<nom:", "D": "::>", "F": "</nom>",
        "G": "<cle>", "H": "</cle>", "I": "</valeur>", "J": "<valeur>",
    },
)  # fmt: skip


def template(calls: str, markers: dict[str, str]) -> str:
    """A chat template that writes calls in this way."""
    sets = "".join(f"{{%- set {name} = {text!r} %}}" for name, text in markers.items())
    if calls == "key and value":
        sets += "{%- set B = '</call>' %}"
    return sets + HEAD + REASONING + CONTENT + CALLS[calls] + TAIL


# Messages with headers, in the order of the words that the header is made of.
HEADERS = {
    "recipient first": "{{ U }}bot to={{ W }}.{{ n }}{{ C }}aside{{ S }}",
    "channel first": "{{ U }}bot{{ C }}aside to={{ W }}.{{ n }}{{ S }}",
    "kind first": "{{ U }}bot{{ C }}aside {{ A }}json to={{ W }}.{{ n }}{{ S }}",
    "name alone": "{{ U }}bot{{ C }}{{ n }}{{ S }}",
    "kind last": "{{ U }}bot{{ C }}use {{ n }}{{ A }}json{{ S }}",
}
CHANNELS = """\
{%- for m in messages %}
{%- if m.role != 'assistant' %}{{ U + m.role + S + m.content + E }}
{%- else %}
{%- if m.reasoning_content %}{{ U + 'bot' + C + 'musing' + S + m.reasoning_content + E }}
{%- endif %}
{%- if m.content %}{{ U + 'bot' + C + 'reply' + S + m.content + (E if m.tool_calls else R1) }}
{%- endif %}
{%- for c in m.tool_calls or [] %}{% set n = c.function.name %}
{%- HEADER %}{{ c.function.arguments | tojson }}{{ B }}{% endfor %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ U }}bot{% endif %}"""


def channel_template(header: str, markers: dict[str, str]) -> str:
    """A chat template whose messages have headers."""
    values = {**markers, "C": markers["G"] if "|" in markers["G"] else "<|way|>", "W": "tools"}
    sets = "".join(f"{{%- set {name} = {text!r} %}}" for name, text in values.items())
    return sets + CHANNELS.replace("{%- HEADER %}", HEADERS[header])
