"""Every format forced, at length: sampled under the constraint and parsed; rendered and accepted.

    python scripts/check_forcing.py TOKENIZER.json [--samples 200] [--engine xgrammar]
                                    [--templates FOLDER] [--family NAME ...]

First direction: for every family (or those named), ``tool_choice: "required"`` over tools with
arguments of many kinds (tests/output/constrained.py) as a grammar with control tokens by id;
tokens are sampled at random under it, over the tokenizer's whole vocabulary with the families'
control tokens added to it. Every sample has to be nothing but calls of an allowed tool, as
``OutputParser`` reads it, whose arguments ``jsonschema`` accepts. Families whose markers are text
are sampled under their regex as well.

Other direction: for every ``.jinja`` file in FOLDER whose format is known, messages with calls are
rendered, and what the model would have written has to be accepted by ``tool_choice: "auto"``.

Needs ``llguidance`` and, for ``--engine xgrammar``, ``xgrammar`` (with ``torch``, which it
imports). Exits with 0 only if something was checked and nothing failed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from textcore.errors import TextcoreError, UnsupportedError
from textcore.output.formats import FORMATS, NestedElements, OutputFormat
from textcore.output.parser import OutputParser
from textcore.output.probing.roundtrip import (
    VARIABLES,
    NotRendered,
    full_schema_of,
    generated,
    generation_prompt,
    messages,
    render,
    schema_of,
)
from textcore.output.tool_choice import tool_call_grammar, tool_call_pattern

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ROOT / "tests" / "output" / "constrained.py"


def engines() -> Any:
    """The suite's module that runs constraints."""
    spec = importlib.util.spec_from_file_location("constrained", ENGINES)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class XGrammar:
    """``xgrammar`` in the place of the suite's engine."""

    def __init__(self, engine: Any) -> None:
        import xgrammar

        self._xgrammar = xgrammar
        self._engine = engine
        special = set(engine.tok.special_ids)
        # A byte that no text has, so that control tokens are not spelled in strings.
        spelled = [
            b"\xff" + token if index in special else token
            for index, token in enumerate(engine.tokens)
        ]
        self.tokens = spelled
        self.plain = [_is_text(token) for token in engine.tokens]
        info = xgrammar.TokenizerInfo(
            spelled,
            xgrammar.VocabType.RAW,
            vocab_size=len(spelled),
            stop_token_ids=[engine.end],
        )
        self._compiler = xgrammar.GrammarCompiler(info)
        self.endings = engine.endings

    def sample(
        self,
        tag: dict[str, Any],
        rng: random.Random,
        endings: list[list[int]],
        limit: int = 4000,
    ) -> list[int]:
        """As ``Engine.sample``; only of tokens that are whole characters.

        (xgrammar lets through some sequences of bytes that are no UTF-8.)
        """
        import numpy as np

        compiled = self._compiler.compile_structural_tag(json.dumps(tag))
        matcher = self._xgrammar.GrammarMatcher(compiled)
        size = len(self.tokens)
        mask = self._xgrammar.allocate_token_bitmask(1, size)
        end, ids = self._engine.end, []
        while len(ids) < limit:
            matcher.fill_next_token_bitmask(mask)
            bits = np.unpackbits(mask.numpy().view(np.uint8).ravel(), bitorder="little")[:size]
            choices = np.flatnonzero(bits.astype(bool) & np.array(self.plain))
            assert len(choices), ("nothing is allowed", self._engine.tok.decode(ids))
            hurried = len(ids) > limit // 8
            if bits[end] and (hurried or len(choices) == 1 or rng.random() < 0.3):
                return ids
            chosen = [int(choices[rng.randrange(len(choices))])]
            if hurried or rng.random() < 0.25:
                fitting = [ending for ending in endings if self._fits(matcher, ending)]
                if fitting:
                    # Not always the first: within single quotes a double one ends nothing.
                    chosen = fitting[0] if rng.random() < 0.7 else rng.choice(fitting)
            if chosen != [end]:
                for token in chosen:
                    assert matcher.accept_token(token)
                ids += chosen
        raise AssertionError("no end in sight")

    @staticmethod
    def _fits(matcher: Any, ids: list[int]) -> bool:
        taken = 0
        while taken < len(ids) and matcher.accept_token(ids[taken]):
            taken += 1
        matcher.rollback(taken)
        return taken == len(ids)


def _is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


class Checker:
    """Samples under the constraints of one format at a time."""

    def __init__(self, module: Any, engine: Any, sampler: Any, samples: int) -> None:
        self.module = module
        self.engine = engine
        self.sampler = sampler
        self.samples = samples

    def family(self, form: OutputFormat) -> tuple[int, str]:
        """How many samples were right, and the first problem."""
        tools = self.module.tools_for(form)
        count = 0
        for index, tool in enumerate(tools):
            try:
                grammar = tool_call_grammar(
                    [tool], "required", format=form, tokenizer=self.engine.tok
                )
            except UnsupportedError as error:
                return count, f"{tool['name']}: {error}"
            written = grammar.lark if self.sampler is self.engine else grammar.structural_tag
            for seed in range(index, self.samples, len(tools)):
                try:
                    self.one(written, form, tool, seed)
                except Exception as error:
                    return count, f"{tool['name']}, seed {seed}: {error!s:.2000}"
                count += 1
        return count, ""

    def one(self, written: Any, form: OutputFormat, tool: Any, seed: int) -> None:
        """Sample once; raise unless it is nothing but valid calls."""
        endings = self.sampler.endings(form)
        ids = self.sampler.sample(written, random.Random(seed), endings)
        calls = self.module.calls_of(self.engine.tok, form, [tool], ids)
        assert calls, self.engine.tok.decode(ids)
        self.module.check_calls(calls, [tool])

    def regex(self, form: OutputFormat) -> tuple[int, str]:
        """The same for the regex of a format whose markers are text."""
        count = 0
        tools = self.module.tools_for(form)
        for index, tool in enumerate(tools):
            try:
                pattern = tool_call_pattern([tool], format=form, any_depth=1)
            except UnsupportedError:
                continue
            escaped = pattern.replace("/", r"\/")
            for seed in range(index, max(self.samples // 4, 1), len(tools)):
                lark = f"start: TEXT\nTEXT: /{escaped}/\n"
                endings = self.engine.endings(form)
                ids = self.engine.sample(lark, random.Random(seed), endings)
                text = self.engine.tok.decode(ids)
                parser = OutputParser(False, [tool], format=form)
                deltas = parser.feed(text, final=True)
                calls = [delta["tool_calls"][0]["function"] for delta in deltas]
                if not re.fullmatch(pattern, text) or parser.incomplete or not calls:
                    return count, f"{tool['name']}, seed {seed}: {text[:2000]!r}"
                arguments = json.loads("".join(call["arguments"] for call in calls))
                self.module.check_calls([(calls[0]["name"], arguments)], [tool])
                count += 1
        return count, ""


def rendered(template: str) -> Iterator[tuple[OutputFormat, str, str, str, Any]]:
    """What a template makes of messages with calls: format, name, prompt, output, message."""
    detection = OutputParser.for_template(template).detection
    assert detection is not None
    if not detection.known:
        raise UnsupportedError("template", "a format that is no family's")
    for variables in VARIABLES:
        for name, message in messages():
            try:
                text = render(template, message, variables)
                prompt, output = generated(
                    text, generation_prompt(template, variables), detection.format
                )
            except NotRendered:
                continue
            yield detection.format, name, prompt, output, message


def tools_of(form: OutputFormat, message: Any) -> list[dict[str, Any]]:
    """Tools that take a message's calls."""
    described = full_schema_of if isinstance(form.body, NestedElements) else schema_of
    found: dict[str, dict[str, Any]] = {}
    for call in message.get("tool_calls", ()):
        properties = found.setdefault(call["function"]["name"], {})
        for key, value in call["function"]["arguments"].items():
            properties.setdefault(key, described(value))
    return [
        {"name": name, "parameters": {"type": "object", "properties": properties}}
        for name, properties in (found or {"other": {}}).items()
    ]


def in_order(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same tools with their properties sorted, as some templates write them."""
    changed = json.loads(json.dumps(tools))
    for tool in changed:
        properties = tool["parameters"]["properties"]
        tool["parameters"]["properties"] = dict(sorted(properties.items()))
    return list(changed)


def check_template(name: str, template: str, engine: Any) -> tuple[int, int]:
    """How many outputs were accepted, and how many not."""
    accepted = refused = 0
    first = ""
    try:
        for form, kind, prompt, output, message in rendered(template):
            ids = engine.tok.encode(output.rstrip())
            taken = ""
            found = tools_of(form, message)
            for tools in (found, in_order(found)):
                grammar = tool_call_grammar(
                    tools,
                    format=form,
                    tokenizer=engine.tok,
                    reasoning=True,
                    prompt=prompt,
                )
                done, taken = engine.accepts(grammar.lark, ids)
                if done:
                    break
            accepted += done
            refused += not done
            if not done and not first:
                first = f"{kind}: {taken!r} and not {output[len(taken) :][:80]!r}"
    except TextcoreError as error:
        first = str(error)[:160]
    print(f"{name:56} {accepted:3} accepted, {refused:3} refused {first}")
    return accepted, refused


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tokenizer", type=Path, metavar="TOKENIZER.json")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--engine", choices=("llguidance", "xgrammar"), default="llguidance")
    parser.add_argument("--templates", type=Path)
    parser.add_argument("--family", action="append", default=[])
    options = parser.parse_args(arguments)
    module = engines()
    engine = module.Engine(module.with_control_tokens(options.tokenizer))
    sampler = XGrammar(engine) if options.engine == "xgrammar" else engine
    checker = Checker(module, engine, sampler, options.samples)
    total = problems = 0
    for form in FORMATS:
        if options.family and form.name not in options.family:
            continue
        began = time.monotonic()
        count, problem = checker.family(form)
        by_regex, other = (0, "") if form.control else checker.regex(form)
        took = time.monotonic() - began
        print(f"{form.name:18} {count:4} by grammar, {by_regex:3} by regex  {took:5.0f} s", end="")
        print(f"  PROBLEM {problem or other}" if problem or other else "", flush=True)
        total += count + by_regex
        problems += bool(problem or other)
    if options.templates:
        for file in sorted(options.templates.glob("*.jinja")):
            template = file.read_text(encoding="utf-8")
            accepted, refused = check_template(file.stem, template, engine)
            total += accepted
            problems += refused
    print(f"{total} outputs right, {problems} problems")
    return 0 if total and not problems else 1


if __name__ == "__main__":
    sys.exit(main())
