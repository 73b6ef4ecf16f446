class PieceRules:
    def __init__(
        self,
        rules: dict[str, str],
        symbols: list[str],
        *,
        add_dummy_prefix: bool,
        remove_extra_whitespaces: bool,
        escape_whitespaces: bool,
        as_suffix: bool,
    ) -> None: ...
    def normalize(self, text: str) -> str: ...
    def tables(self) -> dict[str, bytes]: ...
    @staticmethod
    def restore(
        tables: dict[str, memoryview],
        *,
        add_dummy_prefix: bool,
        remove_extra_whitespaces: bool,
        escape_whitespaces: bool,
        as_suffix: bool,
    ) -> PieceRules: ...
