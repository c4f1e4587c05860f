"""The HTTP API: one endpoint, one file in ``endpoints/``. Programs show a token, and no cookie counts."""
