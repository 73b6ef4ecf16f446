"""json_schema_to_regex against the jsonschema package, in both directions."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from textcore.errors import SpecError, TextError, UnsupportedError
from textcore.output.schema import json_schema_to_regex, regex_escape


def text_of(value: Any) -> str:
    """The documented canonical text of a value whose properties are in the schema's order."""
    return json.dumps(value, ensure_ascii=False)


def accepts(schema: Any, value: Any, **options: Any) -> bool:
    return re.fullmatch(json_schema_to_regex(schema, **options), text_of(value)) is not None


# Schemas whose objects and arrays say what else they hold, and name properties in order.

TEXT = 'ab"\\\n\x01é😀'
scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-12, 12),
    st.integers(-30, 30).filter(lambda n: n % 4).map(lambda n: n / 4),
    st.text(TEXT, max_size=4),
)
NAMES = ["a", 'b"', "c"]


def objects_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.lists(st.sampled_from([*NAMES, "d", "x", "xy"]), max_size=3, unique=True)
    return names.flatmap(lambda ns: st.fixed_dictionaries(dict.fromkeys(sorted(ns), inner)))


free: st.SearchStrategy[Any] = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    objects_of(scalars),
)


def keywords(**options: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the keywords, each with a value."""
    return st.fixed_dictionaries({}, optional=options)


bound = st.integers(-9, 9) | st.integers(-20, 20).map(lambda n: n / 4)
count = st.integers(0, 3)
number_keys = keywords(
    minimum=bound,
    maximum=bound,
    exclusiveMinimum=bound,
    exclusiveMaximum=bound,
    multipleOf=st.sampled_from([1, 2, 5]),
)
string_keys = keywords(
    minLength=count, maxLength=count, pattern=st.sampled_from(["a", "^a", '"$', "^[^b]*$"])
)


def joined(*parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(*parts).map(lambda ds: {k: v for d in ds for k, v in d.items()})


def of_type(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    types = st.sampled_from(names).map(lambda n: {"type": n})
    return types | st.just({"type": list(names)}) if len(names) > 1 else types


def typed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arrays = joined(
        keywords(
            prefixItems=st.lists(inner, min_size=1, max_size=2), minItems=count, maxItems=count
        ),
        st.fixed_dictionaries({"items": inner | st.just(False)}),
    )
    properties = st.lists(st.sampled_from(NAMES), max_size=3, unique=True).flatmap(
        lambda ns: st.fixed_dictionaries(dict.fromkeys(sorted(ns), inner))
    )
    required = st.lists(st.sampled_from([*NAMES, "d"]), max_size=2, unique=True).map(sorted)
    objects = st.fixed_dictionaries(
        {"properties": properties, "additionalProperties": st.just(False) | inner},
        optional={"required": required, "minProperties": st.just(1), "maxProperties": count},
    )
    return st.one_of(joined(of_type("array"), arrays), joined(of_type("object"), objects), objects)


def combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        st.builds(lambda s: {"anyOf": s}, several),
        st.builds(lambda s: {"oneOf": s}, several),
        st.builds(lambda s: {"not": s}, inner),
        st.builds(lambda s, b: {**b, "anyOf": s}, several, number_keys),
        st.builds(lambda s: {"allOf": s}, st.lists(plain, min_size=2, max_size=2)),
    )


plain: st.SearchStrategy[Any] = st.one_of(
    joined(of_type("integer", "number"), number_keys),
    joined(of_type("string"), string_keys),
    joined(of_type("null", "boolean", "string"), string_keys),
    number_keys,
    st.builds(lambda v: {"const": v}, free),
    st.builds(
        lambda vs, k: {"enum": vs, **k}, st.lists(free, min_size=1, max_size=4), string_keys
    ),
    st.booleans(),
)
schemas = st.recursive(plain, lambda s: typed(s) | combined(s), max_leaves=4)


def shaped(schema: Any) -> st.SearchStrategy[Any]:
    """Values that stand a chance with a schema."""
    if not isinstance(schema, dict):
        return free
    choices = []
    for key in ("anyOf", "oneOf", "allOf"):
        choices += [shaped(s) for s in schema.get(key, [])]
    if "enum" in schema or "const" in schema:
        choices.append(st.sampled_from(schema.get("enum", [schema.get("const")])))
    if "items" in schema:
        prefix = [shaped(s) for s in schema.get("prefixItems", [])]
        rest = st.lists(shaped(schema["items"]), max_size=3)
        choices.append(st.builds(lambda p, r: [*p, *r], st.tuples(*prefix), rest))
    if "properties" in schema:
        members = {n: shaped(s) for n, s in schema["properties"].items()}
        extra = {n: shaped(schema["additionalProperties"]) for n in ("d", "x", "xy")}
        choices.append(st.fixed_dictionaries({}, optional={**members, **extra}).map(ordered))
    return st.one_of(*choices) if choices else free


def ordered(value: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(value.items()))


def orders(value: Any) -> Iterator[Any]:
    """The same value with its properties in every order, at every level."""
    if isinstance(value, list):
        yield from map(list, itertools.product(*map(orders, value)))
    elif isinstance(value, dict):
        for items in itertools.permutations(value.items()):
            names = [name for name, _ in items]
            for members in itertools.product(*(list(orders(item)) for _, item in items)):
                yield dict(zip(names, members, strict=True))
    else:
        yield value


def valid(schema: Any, value: Any) -> bool:
    return bool(Draft202012Validator(schema).is_valid(value))


@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(st.data())
def test_a_text_matches_exactly_when_the_value_is_valid(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    values = data.draw(st.lists(shaped(schema) | free, min_size=1, max_size=6))
    try:
        pattern = json_schema_to_regex(schema, any_depth=1)
    except UnsupportedError:
        assume(False)
    except SpecError as error:
        if "no value satisfies" not in str(error):
            raise
        assert [v for v in values if valid(schema, v)] == []
        return
    for value in values:
        matched = any(re.fullmatch(pattern, text_of(order)) for order in orders(value))
        assert matched == valid(schema, value), (schema, value)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(st.data())
def test_every_text_that_matches_is_a_valid_value(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    try:
        pattern = json_schema_to_regex(schema, any_depth=1)
    except SpecError:
        assume(False)
    # Hypothesis writes classes out: leave it a few hundred of the million characters.
    smaller = pattern.replace(r"\ud7ff", r"\u0100").replace(r"\U0010ffff", r"\ue001")
    text = data.draw(st.from_regex(smaller, fullmatch=True))
    value = json.loads(text, parse_float=Decimal)
    assert valid(schema, value), (schema, text)


def test_random_schemas_are_mostly_supported() -> None:
    """Guards the two tests above against passing because they skip everything."""
    outcomes = []

    @settings(max_examples=200, deadline=None, database=None)
    @given(schemas)
    def count_outcomes(schema: Any) -> None:
        try:
            json_schema_to_regex(schema)
            outcomes.append(True)
        except SpecError as error:
            outcomes.append(not isinstance(error, UnsupportedError))

    count_outcomes()
    assert sum(outcomes) > 0.7 * len(outcomes)


# The canonical form.


@given(st.text())
def test_a_string_has_one_text(value: str) -> None:
    pattern = json_schema_to_regex({"type": "string"})
    assert re.fullmatch(pattern, text_of(value))
    ascii_text = json.dumps(value)
    assert (re.fullmatch(pattern, ascii_text) is not None) == (ascii_text == text_of(value))


def test_every_code_point_as_json_dumps_writes_it() -> None:
    pattern = re.compile(json_schema_to_regex({"type": "string"}))
    everything = "".join(map(chr, itertools.chain(range(0xD800), range(0xE000, 0x110000))))
    assert pattern.fullmatch(text_of(everything))
    assert [c for c in range(0xD800, 0xE000) if pattern.fullmatch(f'"{chr(c)}"')] == []


@pytest.mark.parametrize(
    "text",
    [
        *(r'"\/"', r'"\u0061"', r'"\u000A"', r'"\u001F"', r'"\ud800"', r'"\u000a"', r'"\u0009"'),
        *('"\x01"', '"\n"', '"""', r'"\"', '"', "a", '"a', "'a'", r'"\x41"', ' "a"', '"a" '),
    ],
)
def test_other_spellings_of_a_string(text: str) -> None:
    assert re.fullmatch(json_schema_to_regex({"type": "string"}), text) is None


def test_lengths_count_code_points() -> None:
    pattern = json_schema_to_regex({"type": "string", "minLength": 2, "maxLength": 3})
    values = ("", "é", "😀😀", '"\\\n', "\x01\x02\x03", "abcd")
    accepted = [value for value in values if re.fullmatch(pattern, text_of(value))]
    assert accepted == ["😀😀", '"\\\n', "\x01\x02\x03"]


OPTIONAL = {name: {"type": "null"} for name in "abcdefg"}


@pytest.mark.parametrize("required", [(), ("a",), ("d",), ("g",), ("b", "e")])
def test_commas_for_every_set_of_optional_properties(required: tuple[str, ...]) -> None:
    schema = {"type": "object", "properties": OPTIONAL, "required": list(required)}
    pattern = re.compile(json_schema_to_regex(schema))
    for mask in range(2 ** len(OPTIONAL)):
        names = [n for i, n in enumerate(OPTIONAL) if mask >> i & 1]
        text = text_of(dict.fromkeys(names))
        assert (pattern.fullmatch(text) is not None) == set(required).issubset(names)
        if len(names) > 1:
            assert pattern.fullmatch(text_of(dict.fromkeys(names[::-1]))) is None
    for text in (
        '{"a": null,}',
        '{, "a": null}',
        '{"a": null "b": null}',
        '{"a": null, "a": null}',
    ):
        assert pattern.fullmatch(text) is None


def test_optional_properties_cost_little_more_than_linear() -> None:
    def size(count: int) -> int:
        properties = {f"name{i:04}": {"type": "boolean"} for i in range(count)}
        return len(json_schema_to_regex({"type": "object", "properties": properties}))

    assert size(512) < 8 * 2.2 * size(64)


@pytest.mark.parametrize(
    ("separators", "text"),
    [
        ((", ", ": "), '{"a": [1, 1]}'),
        ((",", ":"), '{"a":[1,1]}'),
        ((",\n  ", " : "), '{"a" : [1,\n  1]}'),
    ],
)
def test_spacing_is_one_policy(separators: tuple[str, str], text: str) -> None:
    items = {"type": "array", "items": {"const": 1}}
    schema = {"type": "object", "properties": {"a": items}, "required": ["a"]}
    pattern = json_schema_to_regex(schema, separators=separators)
    texts = ('{"a": [1, 1]}', '{"a":[1,1]}', '{"a" : [1,\n  1]}')
    matched = [candidate for candidate in texts if re.fullmatch(pattern, candidate)]
    assert matched == [text]


@pytest.mark.parametrize("separators", [(",",), ", ", (", ", ";"), (", x", ":"), (None, ":"), 3])
def test_separators_are_checked(separators: Any) -> None:
    with pytest.raises(ValueError, match="separators: expected"):
        json_schema_to_regex({"type": "null"}, separators=separators)


def test_a_value_nothing_is_said_about_nests_to_a_documented_depth() -> None:
    value: Any = "deepest"
    for depth in range(4):
        for any_depth in range(4):
            assert accepts({}, value, any_depth=any_depth) == (depth <= any_depth)
            assert accepts(True, value, any_depth=any_depth) == (depth <= any_depth)
        value = {"k": [value]} if depth % 2 else [value]
        value = value["k"] if isinstance(value, dict) else value
    assert accepts({"title": "t", "default": 3}, {"any": [1, "x", None]})


def test_objects_hold_nothing_that_nobody_described() -> None:
    assert accepts({"type": "object"}, {})
    assert not accepts({"type": "object"}, {"a": 1})
    assert accepts({"type": "object", "additionalProperties": True}, {"a": 1})
    assert not accepts({"prefixItems": [{"type": "null"}]}, [None, 1])
    assert accepts({"prefixItems": [{"type": "null"}], "items": True}, [None, 1])


def test_required_without_properties_takes_any_value() -> None:
    schema = {"type": "object", "properties": {"z": {"type": "null"}}, "required": ["a", "z"]}
    assert accepts(schema, {"z": None, "a": [1]})
    assert not accepts(schema, {"z": None})


# Merging.

NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def test_all_of_merges_objects() -> None:
    aged = {"properties": {"age": {"type": "integer"}, "name": {"maxLength": 3}}}
    schema = {"allOf": [NAMED, aged], "required": ["age"]}
    assert accepts(schema, {"name": "abc", "age": 3})
    assert not accepts(schema, {"name": "abcd", "age": 3})
    assert not accepts(schema, {"name": "abc"})


def test_all_of_keeps_a_closed_object_closed() -> None:
    schema = {"allOf": [NAMED | {"additionalProperties": False}, {"properties": {"age": True}}]}
    assert accepts(schema, {"name": "x"})
    assert not accepts(schema, {"name": "x", "age": 1})


def test_references_are_resolved() -> None:
    schema = {
        "$defs": {
            "a/b~c d": {"type": "integer"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/a~1b~0c%20d"}},
        },
        "$ref": "#/$defs/list",
        "maxItems": 2,
    }
    assert accepts(schema, [1, 2])
    assert not accepts(schema, [1, 2, 3])
    assert not accepts(schema, ["x"])


@pytest.mark.parametrize("ref", ["#/nowhere", "#/$defs/9", "#/allOf/7", "#/title/x"])
def test_a_reference_that_leads_nowhere(ref: str) -> None:
    with pytest.raises(SpecError, match="leads nowhere") as caught:
        json_schema_to_regex({"title": "t", "properties": {"a": {"$ref": ref}}})
    assert caught.value.place == "#/properties/a/$ref"


SHAPES = [
    {"properties": {"kind": {"const": "dot"}, "at": {"type": "integer"}}, "required": ["kind"]},
    {"properties": {"kind": {"const": "line"}, "to": {"type": "null"}}, "required": ["kind"]},
]


@pytest.mark.parametrize("key", ["oneOf", "anyOf"])
def test_alternatives_told_apart_by_a_constant(key: str) -> None:
    schema = {"type": "object", key: SHAPES}
    assert accepts(schema, {"kind": "dot", "at": 3})
    assert accepts(schema, {"kind": "line", "to": None})
    assert not accepts(schema, {"kind": "dot", "to": None})


def test_one_of_told_apart_by_required_properties() -> None:
    branches = [
        {"type": "object", "properties": {n: {"type": "null"}}, "required": [n]} for n in "ab"
    ]
    assert accepts({"oneOf": branches}, {"a": None})
    assert accepts({"oneOf": branches}, {"b": None})


def test_one_of_is_not_fooled_by_a_later_merge() -> None:
    branches = [{"type": "object", "properties": {n: True}, "required": [n]} for n in "ab"]
    schema = {"allOf": [{"oneOf": branches}, {"properties": {"a": True, "b": True}}]}
    with pytest.raises(UnsupportedError, match="can't show that no value"):
        json_schema_to_regex(schema)


def test_one_of_with_an_overlap_is_refused() -> None:
    schema = {"properties": {"n": {"oneOf": [{"type": "integer"}, {"minimum": 3}]}}}
    with pytest.raises(UnsupportedError, match="use anyOf") as caught:
        json_schema_to_regex(schema | {"type": "object"})
    assert caught.value.place.startswith("#/properties/n/oneOf/")


def test_pattern_properties() -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "patternProperties": {"^x-": {"type": "string"}, "^[0-9]+$": {"type": "null"}},
        "additionalProperties": False,
    }
    assert accepts(schema, {"id": 1, "x-a": "s", "12": None, "x-b": "t"})
    assert accepts(schema, {"12": None})
    assert not accepts(schema, {"id": 1, "x-a": None})
    assert not accepts(schema, {"y": None})


def test_additional_properties_leave_declared_names_alone() -> None:
    schema = {"properties": {"ab": {"const": 1}}, "additionalProperties": {"type": "null"}}
    schema["type"] = "object"
    assert accepts(schema, {"ab": 1, "a": None, "abc": None, "": None})
    assert not accepts(schema, {"ab": None})
    assert not accepts(schema, {"ab": 1, "a": 1})


def test_property_names() -> None:
    schema = {"type": "object", "propertyNames": {"pattern": "^[a-z]+$", "maxLength": 3}}
    schema["additionalProperties"] = {"type": "integer"}
    assert accepts(schema, {"abc": 1, "x": 2})
    assert not accepts(schema, {"A": 1})
    assert not accepts(schema, {"abcd": 1})


def test_older_spelling_of_tuples() -> None:
    schema = {"items": [{"const": 1}], "additionalItems": {"const": 2}, "type": "array"}
    assert accepts(schema, [1, 2, 2])
    assert not accepts(schema, [2])


# What is refused.


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"if": {}, "then": {}}, "#/if"),
        ({"dependentRequired": {}}, "#/dependentRequired"),
        ({"dependentSchemas": {}}, "#/dependentSchemas"),
        ({"unevaluatedProperties": False}, "#/unevaluatedProperties"),
        ({"type": "array", "contains": {}}, "#/contains"),
        ({"type": "array", "items": {}, "uniqueItems": True}, "#/uniqueItems"),
        ({"properties": {"a/b": {"x-unknown": 1}}}, "#/properties/a~1b/x-unknown"),
        ({"nullable": True}, "#/nullable"),
        ({"$dynamicRef": "#x"}, "#/$dynamicRef"),
        ({"$ref": "other.json"}, "#/$ref"),
        ({"$ref": "#anchor"}, "#/$ref"),
        ({"type": "integer", "multipleOf": 7}, "#/multipleOf"),
        ({"minimum": 10**70, "type": "number"}, "#/minimum"),
        ({"properties": {"a": {"$id": "x", "items": {"$ref": "#"}}}}, "#/properties/a/$id"),
        (
            {"properties": dict.fromkeys("abc", True), "type": "object", "minProperties": 2},
            "#/minProperties",
        ),
        ({"patternProperties": {"a": True, "b": True}}, "#/patternProperties/b"),
        ({"patternProperties": {"a": True}, "properties": {"a": True}}, "#/patternProperties/a"),
        (
            {"patternProperties": {"a": True}, "additionalProperties": True},
            "#/patternProperties/a",
        ),
        ({"allOf": [{"pattern": "^a"}, {"pattern": "b$"}], "type": "string"}, "#/allOf/1/pattern"),
        ({"not": {"minimum": 3}, "type": "number"}, "#/not"),
    ],
)
def test_what_a_regex_cannot_honour_is_named(schema: Any, place: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        json_schema_to_regex(schema)
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (None, "#"),
        ([], "#"),
        ("object", "#"),
        ({"properties": {"a": 3}}, "#/properties/a"),
        ({"type": "text"}, "#/type"),
        ({"type": []}, "#/type"),
        ({"type": ["string", 3]}, "#/type"),
        ({"enum": []}, "#/enum"),
        ({"enum": "ab"}, "#/enum"),
        ({"enum": [{1, 2}]}, "#/enum/0"),
        ({"enum": ["\ud800"]}, "#/enum/0"),
        ({"const": float("nan")}, "#/const"),
        ({"const": {1: 2}}, "#/const"),
        ({"properties": []}, "#/properties"),
        ({"properties": {1: True}}, "#/properties"),
        ({"required": True}, "#/required"),
        ({"required": "a"}, "#/required"),
        ({"required": ["a", 1]}, "#/required/1"),
        ({"minLength": -1}, "#/minLength"),
        ({"minLength": True}, "#/minLength"),
        ({"maxItems": 1.5}, "#/maxItems"),
        ({"maxItems": "3"}, "#/maxItems"),
        ({"minimum": "3"}, "#/minimum"),
        ({"minimum": float("inf")}, "#/minimum"),
        ({"exclusiveMinimum": True}, "#/exclusiveMinimum"),
        ({"multipleOf": 0}, "#/multipleOf"),
        ({"pattern": 3}, "#/pattern"),
        ({"format": ["date"]}, "#/format"),
        ({"uniqueItems": 1}, "#/uniqueItems"),
        ({"anyOf": []}, "#/anyOf"),
        ({"allOf": {}}, "#/allOf"),
        ({"oneOf": [3]}, "#/oneOf/0"),
        ({"not": 3}, "#/not"),
        ({"$ref": 3}, "#/$ref"),
        ({"items": 3}, "#/items"),
        ({"prefixItems": True}, "#/prefixItems"),
        ({"additionalProperties": "no"}, "#/additionalProperties"),
    ],
)
def test_malformed_schemas_are_named(schema: Any, place: str) -> None:
    with pytest.raises(SpecError) as caught:
        json_schema_to_regex(schema)
    assert not isinstance(caught.value, UnsupportedError)
    assert caught.value.place == place


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"not": True},
        {"enum": [1], "type": "string"},
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 4},
        {"type": "string", "minLength": 3, "maxLength": 2},
        {"type": "object", "properties": {"a": False}, "required": ["a"]},
        {"type": "object", "required": ["a"], "additionalProperties": False},
        {"type": "array", "items": False, "minItems": 1},
        {"anyOf": [False, {"allOf": [{"type": "null"}, {"type": "string"}]}]},
        {"type": "object", "properties": {"a": True}, "minProperties": 2},
    ],
)
def test_a_schema_without_values_is_an_error(schema: Any) -> None:
    with pytest.raises(SpecError, match="no value satisfies the schema"):
        json_schema_to_regex(schema)


def test_an_optional_property_that_cannot_be_is_left_out() -> None:
    schema = {"type": "object", "properties": {"a": False, "b": {"type": "null"}}}
    assert accepts(schema, {"b": None})
    assert not accepts(schema, {"a": None})


# Escaping.


@given(st.text())
def test_an_escaped_text_matches_itself_only(text: str) -> None:
    escaped = regex_escape(text)
    assert re.fullmatch(escaped, text)
    assert regex.fullmatch(escaped, text)
    assert not re.fullmatch(escaped, text + "x")


def test_every_ascii_character_is_escaped_as_needed() -> None:
    for first, second in itertools.product(map(chr, range(128)), repeat=2):
        assert re.fullmatch(regex_escape(first + second), first + second)


def test_escaping_is_printable_and_typed() -> None:
    assert regex_escape('{"a": 1}\n\t\x00<>-~&#') == r'\{"a": 1\}\n\t\x00<>-~&#'
    with pytest.raises(TextError, match=r"lone surrogate U\+D800"):
        regex_escape("a\ud800")
    with pytest.raises(TypeError, match="expected str, not bytes"):
        regex_escape(b"a")  # type: ignore[arg-type]
