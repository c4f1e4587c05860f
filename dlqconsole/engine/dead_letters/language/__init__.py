"""The filter language: a text as people type it, its tree, and the one way to write it down."""
