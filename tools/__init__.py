"""The programs of this checkout: the demo, its embedded servers, and what `make` calls."""
