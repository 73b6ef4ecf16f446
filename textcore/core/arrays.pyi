from typing import Any

from numpy.typing import NDArray

def empty_array(n: int, wide: bool = False) -> NDArray[Any]: ...
