"""Workers in other languages, each a program of ``examples/``, as members of the role for consumers in SQL."""
