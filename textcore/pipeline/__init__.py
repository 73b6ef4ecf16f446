"""The components of a tokenizer.json: they decide, ``textcore.core`` executes."""
