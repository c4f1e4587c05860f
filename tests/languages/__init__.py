"""Workers in other languages: the programs of ``examples/``, with the role for consumers in SQL."""
