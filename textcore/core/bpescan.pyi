from textcore.core.bpe import BPE
from textcore.core.vocabscan import Contents, Merges, Vocabulary

def scanned_bpe(
    vocabulary: Vocabulary,
    merges: Merges,
    contents: Contents,
    *,
    byte_level: bool,
    unk_token: str | None = None,
    fuse_unk: bool = False,
    byte_fallback: bool = False,
    ignore_merges: bool = False,
) -> BPE: ...
