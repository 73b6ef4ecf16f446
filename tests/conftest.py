"""What all tests share."""

import os

from hypothesis import settings

# A busy machine is no reason to fail: an example has no time limit of its own. Tests that are
# about time measure it themselves, with room to spare. A check of a change tries the same
# examples each time, so that it fails for what the change did; elsewhere they are new ones.
settings.register_profile("suite", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("suite")
