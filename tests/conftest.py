"""Settings for all tests."""

from hypothesis import settings

# A shared or busy machine makes single examples slow now and then, which says nothing about the code.
settings.register_profile("qassay", deadline=None)
settings.load_profile("qassay")
