"""Response templates: the declarative spec of ``transformers`` 5 for reading a model's output.

Source: the documentation of chat response parsing in ``transformers`` 5.24, and the behaviour
of its ``parse_response``, which decides where the documentation is silent.
"""

from textcore.output.templates.parser import ResponseTemplateParser, parse_response
from textcore.output.templates.spec import ResponseTemplate

__all__ = ["ResponseTemplate", "ResponseTemplateParser", "parse_response"]
