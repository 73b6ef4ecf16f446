"""What a measurement was made with: the machine and the versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def processor() -> str:
    """The processor's name as the system gives it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model"):
                return value.strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Processor, cores, vector instructions and system, in a line."""
    from textcore.core.windows import levels
    from textcore.pipeline.plan import SIMD_LEVELS

    names = {"plain": "no vectors that are used", "avx2": "AVX2", "avx512": "AVX-512"}
    return (
        f"{processor()}, {os.cpu_count()} cores, {names[SIMD_LEVELS[max(levels())]]}, "
        f"{platform.system()} {platform.machine()}"
    )


def versions(distributions: Iterable[str]) -> dict[str, str]:
    """The installed version of each, and Python's."""
    found = {"Python": f"{platform.python_version()} ({platform.python_implementation()})"}
    for name in distributions:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            from textcore import __version__

            # textcore may be used from its source tree; all others were imported.
            found[name] = __version__ if name == "textcore" else "not installed"
    return found


def load() -> str:
    """How busy the machine is, where that can be asked."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
