"""The files in the package are what the script makes of the installed references."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_unicode_tables.py"


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False
    )


def test_the_normalization_data_is_up_to_date():
    done = run("--check", "normalize_data.h")
    assert (done.returncode, done.stdout) == (0, "normalize_data.h: unchanged\n"), done.stderr


def test_unknown_files_are_refused():
    done = run("--check", "nonsense.bin")
    assert done.returncode == 2
    assert "nonsense.bin" in done.stderr
