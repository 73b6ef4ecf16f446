"""Drop-ins: textcore behind the interfaces of other tokenizer libraries."""
