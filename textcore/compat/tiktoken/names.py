"""Which models use which encoding (source: OpenAI's ``tiktoken``, ``model.py``)."""

from __future__ import annotations

_MODELS = {
    "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
    "cl100k_base": (
        "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 "
        "text-embedding-ada-002 text-embedding-3-small text-embedding-3-large"
    ),
    "p50k_base": (
        "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 "
        "code-cushman-002 code-cushman-001 davinci-codex cushman-codex"
    ),
    "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
    "r50k_base": (
        "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage "
        "ada text-similarity-davinci-001 text-similarity-curie-001 "
        "text-similarity-babbage-001 text-similarity-ada-001 text-search-davinci-doc-001 "
        "text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001 "
        "code-search-babbage-code-001 code-search-ada-code-001"
    ),
    "gpt2": "gpt2 gpt-2",
}
MODEL_TO_ENCODING = {
    model: encoding for encoding, models in _MODELS.items() for model in models.split()
}

_PREFIXES = {
    "o200k_base": ("o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o"),
    "cl100k_base": (
        "gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 "
        "ft:babbage-002"
    ),
    "o200k_harmony": "gpt-oss-",
}
# Longer prefixes say more, so they are looked at first.
MODEL_PREFIX_TO_ENCODING = {
    prefix: encoding for encoding, prefixes in _PREFIXES.items() for prefix in prefixes.split()
}


def encoding_name_for_model(model_name: str) -> str:
    """The name of the encoding that a model uses. Raises KeyError for one not known."""
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    for prefix in sorted(MODEL_PREFIX_TO_ENCODING, key=len, reverse=True):
        if model_name.startswith(prefix):
            return MODEL_PREFIX_TO_ENCODING[prefix]
    raise KeyError(
        f"Could not automatically map {model_name} to a tokeniser. "
        "Please use `tiktoken.get_encoding` to explicitly get the tokeniser you expect."
    )
