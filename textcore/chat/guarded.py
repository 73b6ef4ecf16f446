"""Templates compiled so that it is known which characters of a prompt they wrote themselves.

The code is that of `ChatTemplate`, but literals that can be a part of a control token are
`WrittenText`, and so are the model's special tokens and allow-listed roles among the variables.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from jinja2 import nodes
from jinja2.compiler import Frame
from jinja2.utils import pass_context

from textcore.chat.compiler import ChatCodeGenerator
from textcore.chat.environment import ChatEnvironment
from textcore.chat.followed_formats import FollowedFormat
from textcore.chat.limits import DEFAULT_LIMITS, Limits
from textcore.chat.literals import Fragments, Literals
from textcore.chat.losses import refuse_loss
from textcore.chat.provenance import (
    FOLLOWING_GUARDS,
    follow,
    join_followed,
)
from textcore.chat.templates import ChatTemplate, failure_of
from textcore.core.following import FollowingMeter, followed_filter
from textcore.core.quickfilters import TextFilter
from textcore.core.written import Ranges, WrittenText, written_text

USUAL_ROLES = frozenset(
    ("system", "developer", "user", "assistant", "tool", "function", "model", "ipython")
)
"""Roles from which a template may build a control token, as in ``'<|' + role + '|>'``."""

CACHE_SIZE = 16
"""How many compiled templates a tokenizer keeps."""

# What these give is one of what they are given, marks and all, or has none to lose.
_UNCHANGED = frozenset(
    ("default", "d", "first", "last", "list", "items", "length", "count", "attr", "random")
)
# Methods and filters that only look for their arguments, or for their first.
_SEARCHES = frozenset(
    ["split", "rsplit", "partition", "rpartition", "startswith", "endswith", "find", "rfind"]
).union(
    ["index", "rindex", "count", "strip", "lstrip", "rstrip", "trim"],
    ["removeprefix", "removesuffix"],
)
_FIRST_SEARCHES = frozenset(("get", "replace"))


class _GuardedCodeGenerator(ChatCodeGenerator):
    """Writes the code of a template whose literals are followed.

    What follows the template's text is a `FollowingMeter`, whose methods for chains of
    additions are used besides a `Meter`'s.
    """

    environment: GuardedEnvironment

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._searching = 0
        self._numbers: dict[str, int] = {}
        # Keys to look up, by their identity: a look-up does not give its key.
        self._keys: set[int] = set()
        # The chain of additions that is written without being joined before.
        self._unjoined: nodes.Expr | None = None

    def write_commons(self) -> None:
        super().write_commons()
        for name in ("chain", "more", "whole", "piece", "join_pieces"):
            self.writeline(f"c_{name} = meter.{name}")

    def _literal(self, text: Any) -> str:
        if self._searching or type(text) is not str or text not in self.environment.fragments:
            return repr(text)
        written = self.environment.written
        number = self._numbers.setdefault(text, len(written))
        if number == len(written):
            written.append(written_text(text))
        return literal_name(number)

    def _output_const_repr(self, group: Any) -> str:
        text = "".join(group)
        return self._literal(text) if not hasattr(text, "__html__") else repr(text)

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        if type(node.value) is str and id(node) not in self._keys:
            self.write(self._literal(node.value))
        else:
            super().visit_Const(node, frame)

    def visit_TemplateData(self, node: nodes.TemplateData, frame: Frame) -> None:
        if frame.eval_ctx.volatile or frame.eval_ctx.autoescape:
            super().visit_TemplateData(node, frame)
        else:
            self.write(self._literal(node.data))

    def write_literal_concat(self, text: str) -> None:
        self.write(self._literal(text))

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        escapes = frame.eval_ctx.volatile or frame.eval_ctx.autoescape
        if escapes or not isinstance(node, (nodes.Add, nodes.Concat)):
            super()._output_child_pre(node, frame, finalize)
        else:
            self._unjoined = node
            self.write("c_piece(")

    def _takes_pieces(self, node: nodes.Expr) -> bool:
        """Whether what a chain gives is written at once."""
        found = self._unjoined is node
        self._unjoined = None
        return found

    def write_sum(self, terms: list[nodes.Expr], node: nodes.Expr, frame: Frame) -> None:
        takes_pieces = self._takes_pieces(node)
        if len(terms) <= (1 if takes_pieces else 2):
            super().write_sum(terms, node, frame)
            return
        self.write(("" if takes_pieces else "c_whole(") + "c_more(" * (len(terms) - 2))
        self._write_call("c_chain", frame, *terms[:2])
        for term in terms[2:]:
            self.write(", ")
            self.visit(term, frame)
            self.write(")")
        self.write("" if takes_pieces else ")")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self._concat = "c_join_pieces" if self._takes_pieces(node) else "c_join"
        super().visit_Concat(node, frame)

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        self._searching += 1
        super().visit_Compare(node, frame)
        self._searching -= 1

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if isinstance(node.arg, nodes.Const):
            self._keys.add(id(node.arg))
        super().visit_Getitem(node, frame)

    def signature(self, node: Any, frame: Frame, extra_kwargs: Any = None) -> None:
        name = node.name if isinstance(node, nodes.Filter) else None
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            name = node.node.attr
        searches = name in _SEARCHES
        if name in _FIRST_SEARCHES and node.args:
            self._keys.add(id(node.args[0]))
        self._searching += searches
        super().signature(node, frame, extra_kwargs)
        self._searching -= searches


def literal_name(number: int) -> str:
    """The name in the generated code of a literal that is followed."""
    return f"c_written_{number}"


class GuardedEnvironment(ChatEnvironment):
    """Compiles and runs one template, and knows the control tokens to look after."""

    code_generator_class = _GuardedCodeGenerator

    def __init__(self, limits: Limits, control_tokens: Collection[str]) -> None:
        super().__init__(limits)
        self.control_tokens = tuple(control_tokens)
        self.fragments = Fragments(self.control_tokens)
        self.written: list[WrittenText] = []
        # Formats among the literals, by their identity, and what they have between their fields.
        self.format_parts: dict[int, tuple[str, list[str]]] = {}
        for name, run in self.filters.items():
            if name not in _UNCHANGED:
                self.filters[name] = _join_filter(run) if name == "join" else _filter(name, run)

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        code = super()._generate(source, *args, **kwargs)
        names = "".join(f"{literal_name(number)}, " for number in range(len(self.written)))
        return f"{code}({names}) = environment.written\n"

    def builds_from(self, role: str) -> bool:
        """Whether the template may build a control token from a role, by its literals."""
        for token in self.control_tokens if role else ():
            before, found, behind = token.partition(role)
            if found and any(
                text.endswith(before) or before.endswith(text)
                if before
                else text.startswith(behind) or behind.startswith(text)
                for text in self.written
            ):
                return True
        return False

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        method = super().wrap_str_format(value)
        if method is None:
            return None
        return FollowedFormat(self, value.__self__, value.__name__ == "format_map")


def _filter(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    if isinstance(run, TextFilter):
        # A plain string, which takes the short way, has nothing to follow.
        return run.around(partial(followed_filter, name))
    if getattr(run, "jinja_pass_arg", None) is None:
        plain = run

        def run(context: Any, *args: Any, **kwargs: Any) -> Any:
            return plain(*args, **kwargs)

    return pass_context(followed_filter("% filter" if name == "format" else name, run))


def _join_filter(run: Callable[..., Any]) -> Callable[..., Any]:
    @pass_context
    def followed(context: Any, value: Any, d: Any = "", attribute: Any = None) -> Any:
        if attribute is not None or not hasattr(type(value), "__iter__"):
            result = run(context, value, d, attribute)
            refuse_loss(context.meter, "join", (d,), result)
            return result
        items = context.meter.items_of(value)
        result = run(context, items, d, attribute)
        return join_followed(context.meter, d, items, result)

    return followed


class GuardedTemplate(ChatTemplate):
    """A chat template that tells which ranges of a prompt it wrote itself."""

    _environment: GuardedEnvironment

    def __init__(
        self, source: str, control_tokens: Collection[str], limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._control_tokens = control_tokens
        # Of the roles used last: those that can be a part of a control token.
        self._built_roles: dict[frozenset[str], dict[str, WrittenText]] = {}
        # Special tokens among the variables.
        self._own: dict[str, WrittenText] = {}
        super().__init__(source, limits)

    def _environment_for(self, limits: Limits) -> GuardedEnvironment:
        return GuardedEnvironment(limits, self._control_tokens)

    def _new_meter(self) -> FollowingMeter:
        return FollowingMeter(follow, *self._meter_arguments(FOLLOWING_GUARDS))

    def render_written(self, variables: dict[str, Any]) -> tuple[str, Ranges]:
        """The prompt, and the ranges of its characters that the template wrote.

        Not every such range is told: those are that can be a part of a control token.
        """
        text, meter = self._run(variables)
        assert isinstance(meter, FollowingMeter)
        return text, meter.ranges

    def _add_own(self, token: str) -> WrittenText:
        if len(self._own) >= CACHE_SIZE:
            self._own = {}
        written = self._own[token] = written_text(token)
        return written

    def mark(
        self,
        variables: dict[str, Any],
        special_tokens: Mapping[str, str],
        roles: frozenset[str],
    ) -> None:
        """Mark special tokens and roles among plain variables of ours as the template's own."""
        for name, token in variables.items():
            # A request can't set these: they are the model's, or the caller's own.
            is_token = name in special_tokens or name.endswith("_token")
            if is_token and token and type(token) is str:
                variables[name] = self._own.get(token) or self._add_own(token)
        built = self._built_roles.get(roles)
        if built is None:
            built = {
                role: written_text(role) for role in roles if self._environment.builds_from(role)
            }
            self._built_roles = {roles: built}
        if not built:
            return
        for message in variables["messages"]:
            role = message.get("role")
            if type(role) is str and role in built:
                message["role"] = built[role]


def literals_of(source: str, limits: Limits = DEFAULT_LIMITS) -> Literals:
    """All literals of a template. Raises TemplateFailure."""
    try:
        tree = ChatEnvironment(limits).parse(source)
    except Exception as error:
        raise failure_of(error) from error
    found = [node.data for node in tree.find_all(nodes.TemplateData)]
    found += [node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str)]
    return Literals(found, USUAL_ROLES)


class GuardedTemplates:
    """One tokenizer's guarded templates, each with what ``prepare`` makes of its literals.

    ``prepare`` takes the literals of a template (see `literals_of`), and returns the control
    tokens and anything else to keep with the template. The least recently used goes first.
    """

    def __init__(self, prepare: Callable[[Literals], tuple[frozenset[str], Any]]) -> None:
        self._prepare = prepare
        self._lock = threading.Lock()
        self._templates: OrderedDict[str, tuple[GuardedTemplate, Any]] = OrderedDict()

    def get(self, source: str) -> tuple[GuardedTemplate, Any]:
        """The compiled template of a source. Raises TemplateFailure."""
        with self._lock:
            found = self._templates.get(source)
            if found is not None:
                self._templates.move_to_end(source)
                return found
        control_tokens, kept = self._prepare(literals_of(source))
        found = GuardedTemplate(source, control_tokens), kept
        with self._lock:
            self._templates[source] = found
            while len(self._templates) > CACHE_SIZE:
                self._templates.popitem(last=False)
        return found
