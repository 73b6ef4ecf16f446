"""Build the Cython extensions: one for each ``textcore/core/*.pyx``."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = Path(__file__).parent
MSVC = sys.platform == "win32"
OPTIMISE = ["/O2"] if MSVC else ["-O3", "-fno-strict-aliasing", "-fno-semantic-interposition"]


def extensions() -> list[Extension]:
    """One extension a concern; every header beside them is a dependency of each."""
    core = Path("textcore") / "core"
    headers = [str(p.relative_to(HERE)) for p in sorted((HERE / core).glob("*.h"))]
    return [
        Extension(
            f"textcore.core.{source.stem}",
            [str(core / source.name)],
            include_dirs=[str(core)],
            depends=headers,
            extra_compile_args=OPTIMISE,
        )
        for source in sorted((HERE / core).glob("*.pyx"))
    ]


setup(
    ext_modules=cythonize(
        extensions(),
        compiler_directives={"language_level": 3, "freethreading_compatible": True},
        annotate=bool(os.environ.get("TEXTCORE_ANNOTATE")),
    )
)
