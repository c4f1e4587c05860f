"""The settings of all processes: one typed object, read alike by web, workers and the pipeline.

`settings` declares them, `reading` reads and checks them, `document` writes their table.
Knows no other package and no Django.
"""
