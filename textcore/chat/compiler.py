"""From a template's syntax tree to Python code that runs on a `Meter`.

Jinja's own generator writes ``environment.getattr(x, 'name')``, ``a + b``, ``for x in y``. This
one writes the same calls to the meter of the rendering (``c_attr``, ``c_add``, ``c_loop``), which
charges them and has fast paths for plain data. Constants are not folded, as folding would run
the template's operations while it is compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef, operators

# Names of the generated code, and the methods of the meter that they are.
_OPERATIONS = {
    "c_attr": "attr",
    "c_item": "item",
    "c_cut": "cut",
    "c_key": "key",
    "c_guard": "guard",
    "c_container": "container",
    "c_contains": "contains",
    "c_equal": "equal",
    "c_unequal": "unequal",
    "c_method": "method",
    "c_call": "call",
    "c_unpack": "unpacked",
    "c_unpack_dict": "unpacked_dict",
    "c_loop": "loop",
    "c_items": "items",
    "c_text": "text",
    "c_join": "join_text",
    "c_add": "add",
    "c_sub": "sub",
    "c_mul": "mul",
    "c_div": "truediv",
    "c_floordiv": "floordiv",
    "c_pow": "power",
    "c_mod": "mod",
    "concat": "concat",
}
# Comparisons of two operands that are charged and done at once.
_COMPARISONS = {"eq": "c_equal", "ne": "c_unequal", "in": "c_contains", "notin": "not c_contains"}
# What a loop's iteration and a macro's call cost besides their bodies.
_ITERATION = 4
_CALL = 16


def count_nodes(tree: Iterable[nodes.Node]) -> int:
    """How many nodes a part of a syntax tree has: the cost of running it once.

    The bodies of loops, macros and call blocks are not counted: they are charged where they run.
    """
    count = 0
    pending = list(tree)
    while pending:
        node = pending.pop()
        count += 1
        if isinstance(node, (nodes.For, nodes.Macro, nodes.CallBlock)):
            pending.extend(node.iter_child_nodes(exclude=("body",)))
        else:
            pending.extend(node.iter_child_nodes())
    return count


def _is_scalar(node: nodes.Expr) -> bool:
    """Whether this is a constant, comparing with which costs next to nothing."""
    return isinstance(node, nodes.Const) and not isinstance(node.value, (tuple, list, dict))


def _is_free(node: nodes.Expr) -> bool:
    """Whether comparing with this costs next to nothing."""
    return _is_scalar(node) or isinstance(node, (nodes.Compare, nodes.Not, nodes.Test))


def _is_free_search(node: nodes.Expr) -> bool:
    """Whether looking for a value in this costs no more than making it."""
    return isinstance(node, (nodes.List, nodes.Tuple)) and all(map(_is_scalar, node.items))


def _cannot_fail(node: nodes.Node) -> bool:
    """Whether evaluating the node can't raise, so that it may be done earlier."""
    return isinstance(node, (nodes.Const, nodes.Name, nodes.TemplateData))


class ChatCodeGenerator(CodeGenerator):
    """Writes the code of a chat template."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.optimizer = None
        # What joins the parts of ``a ~ b``.
        self._concat = "c_join"
        # What to write around an expression that Jinja's generator visits, by its identity.
        self._wrapped: dict[int, tuple[str, str]] = {}

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        around = self._wrapped.pop(id(node), None) if self._wrapped else None
        if around is None:
            return super().visit(node, *args, **kwargs)
        self.write(around[0])
        super().visit(node, *args, **kwargs)
        self.write(around[1])
        return None

    # -- statements

    def write_commons(self) -> None:
        super().write_commons()
        self.writeline("meter = context.meter")
        for name, operation in _OPERATIONS.items():
            self.writeline(f"{name} = meter.{operation}")
        self.writeline("c_escape = context.escape")

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        cost = _ITERATION + count_nodes(node.body) + (count_nodes([node.test]) if node.test else 0)
        around = "c_loop(", f", {cost})"
        if _is_items(node.iter):
            # A loop gets the items themselves, not through the filter's generator.
            around = f"{around[0]}c_items(", f"){around[1]}"
            value = node.iter.node
            assert value is not None
            node.iter = value
        self._wrapped[id(node.iter)] = around
        super().visit_For(node, frame)

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        node = macro_ref.node
        names = "".join(f"{argument.name!r}, " for argument in node.args)
        self.write(
            f"Macro(context, macro, {getattr(node, 'name', None)!r}, ({names}), "
            f"{macro_ref.accesses_kwargs!r}, {macro_ref.accesses_varargs!r}, "
            f"{macro_ref.accesses_caller!r}, {_CALL + count_nodes(node.body)}, Markup)"
        )

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        literal = isinstance(node, (nodes.Const, nodes.TemplateData)) or _is_literal_concat(node)
        if not literal:
            raise nodes.Impossible()
        return super()._output_child_to_const(node, frame, finalize)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile:
            self.write("(c_escape if context.eval_ctx.autoescape else c_text)(")
        elif frame.eval_ctx.autoescape:
            self.write("c_escape(")
        else:
            self.write("c_text(")

    # -- expressions

    def _write_call(self, name: str, frame: Frame, *parts: nodes.Expr | str) -> None:
        """Write ``name(part, part, ...)``; a part is an expression or code."""
        self.write(f"{name}(")
        for index, part in enumerate(parts):
            if index:
                self.write(", ")
            if isinstance(part, str):
                self.write(part)
            else:
                self.visit(part, frame)
        self.write(")")

    def visit_Add(self, node: nodes.BinExpr, frame: Frame) -> None:
        # A chain of literals is one literal, however long: each "+" would nest a call.
        terms: list[nodes.Expr] = [node.right]
        left = node.left
        while isinstance(left, nodes.Add):
            terms.append(left.right)
            left = left.left
        terms.append(left)
        terms.reverse()
        texts = list(itertools.takewhile(lambda text: text is not None, map(_text_of, terms)))
        if texts:
            terms[: len(texts)] = [nodes.Const("".join(map(str, texts)), lineno=node.lineno)]
        self.write_sum(terms, node, frame)

    def write_sum(self, terms: list[nodes.Expr], node: nodes.Expr, frame: Frame) -> None:
        """Write the chain of additions that ``node`` is, whose terms these are."""
        self.write("c_add(" * (len(terms) - 1))
        self.visit(terms[0], frame)
        for term in terms[1:]:
            self.write(", ")
            self.visit(term, frame)
            self.write(")")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        if _is_literal_concat(node) and not frame.eval_ctx.volatile:
            self.write_literal_concat(node.as_const(frame.eval_ctx))
            return
        if frame.eval_ctx.volatile:
            self.write("(context.join_markup if context.eval_ctx.autoescape else c_join)((")
        elif frame.eval_ctx.autoescape:
            self.write("context.join_markup((")
        else:
            self.write(f"{self._concat}((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def write_literal_concat(self, text: str) -> None:
        """Write what a chain of literals is."""
        self.write(repr(text))

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        """Comparisons are Python's own, on operands charged before."""
        left, operator, right = node.expr, node.ops[0].op, node.ops[0].expr
        search = any(operand.op in ("in", "notin") for operand in node.ops)
        if len(node.ops) > 1:
            self._compare_charged(node, search, frame)
        elif _is_free_search(right) if search else _is_free(left) or _is_free(right):
            self.write("(")
            self.visit(left, frame)
            self.write(f" {operators[operator]} ")
            self.visit(right, frame)
            self.write(")")
        elif operator in _COMPARISONS:
            self.write("(")
            self._write_call(_COMPARISONS[operator], frame, left, right)
            self.write(")")
        else:
            self._compare_charged(node, search, frame)

    def _compare_charged(self, node: nodes.Compare, search: bool, frame: Frame) -> None:
        self.write("(")
        self._write_charged("c_guard", node.expr, frame)
        for operand in node.ops:
            self.write(f" {operators[operand.op]} ")
            self._write_charged("c_container" if search else "c_guard", operand.expr, frame)
        self.write(")")

    def _write_charged(self, name: str, node: nodes.Expr, frame: Frame) -> None:
        if _is_free(node):
            self.visit(node, frame)
        else:
            self._write_call(name, frame, node)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        self._write_call("c_attr", frame, node.node, repr(node.attr))

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if isinstance(node.arg, nodes.Slice):
            bounds = (node.arg.start, node.arg.stop, node.arg.step)
            parts = ["None" if bound is None else bound for bound in bounds]
            self._write_call("c_cut", frame, node.node, *parts)
        else:
            self._write_call("c_item", frame, node.node, node.arg)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        for pair in node.items:
            if not _is_scalar(pair.key):
                self._wrapped[id(pair.key)] = ("c_key(", ")")
        super().visit_Dict(node, frame)

    def signature(
        self,
        node: nodes.Call | nodes.Filter | nodes.Test,
        frame: Frame,
        extra_kwargs: Any = None,
    ) -> None:
        if node.dyn_args is not None:
            self._wrapped[id(node.dyn_args)] = ("c_unpack(", ")")
        if node.dyn_kwargs is not None:
            self._wrapped[id(node.dyn_kwargs)] = ("c_unpack_dict(", ")")
        super().signature(node, frame, extra_kwargs)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        caller = {"caller": "caller"} if forward_caller else None
        called = node.node
        if isinstance(called, nodes.ExtensionAttribute):
            # The only one is that of generation blocks.
            self.write("meter.generated(c_call(caller))")
            return
        arguments: list[nodes.Node] = [*node.args, *(kwarg.value for kwarg in node.kwargs)]
        plain = node.dyn_args is None and node.dyn_kwargs is None
        if isinstance(called, nodes.Getattr) and plain and all(map(_cannot_fail, arguments)):
            self.write("c_method(")
            self.visit(called.node, frame)
            self.write(f", {called.attr!r}")
        else:
            self.write("c_call(")
            self.visit(called, frame)
        self.signature(node, frame, caller)
        self.write(")")


def _is_items(node: nodes.Node) -> TypeGuard[nodes.Filter]:
    """Whether this is ``value|items``."""
    return (
        isinstance(node, nodes.Filter)
        and node.name == "items"
        and node.node is not None
        and not (node.args or node.kwargs or node.dyn_args or node.dyn_kwargs)
    )


def _is_literal_concat(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Concat) and all(map(_is_scalar, node.nodes))


def _text_of(node: nodes.Expr) -> str | None:
    return node.value if isinstance(node, nodes.Const) and type(node.value) is str else None


def _operation(name: str) -> Callable[[ChatCodeGenerator, nodes.BinExpr, Frame], None]:
    def visit(self: ChatCodeGenerator, node: nodes.BinExpr, frame: Frame) -> None:
        self._write_call(name, frame, node.left, node.right)

    return visit


def _on_its_line(kind: str) -> Callable[[ChatCodeGenerator, nodes.Stmt, Frame], None]:
    original = getattr(CodeGenerator, f"visit_{kind}")

    def visit(self: ChatCodeGenerator, node: nodes.Stmt, frame: Frame) -> None:
        self.newline(node)
        original(self, node, frame)

    return visit


# Jinja notes no line for the first code of these statements, which can fail.
for _kind in ("Assign", "AssignBlock", "With", "ScopedEvalContextModifier"):
    setattr(ChatCodeGenerator, f"visit_{_kind}", _on_its_line(_kind))

for _kind, _name in (
    ("Sub", "c_sub"),
    ("Mul", "c_mul"),
    ("Div", "c_div"),
    ("FloorDiv", "c_floordiv"),
    ("Pow", "c_pow"),
    ("Mod", "c_mod"),
):
    setattr(ChatCodeGenerator, f"visit_{_kind}", _operation(_name))
