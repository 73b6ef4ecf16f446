"""What all tests share."""

from hypothesis import settings

# A busy machine is no reason to fail: an example has no time limit of its own. Tests that are
# about time measure it themselves, with room to spare.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
