"""A module that cannot be imported."""

raise RuntimeError("its settings are wrong")
