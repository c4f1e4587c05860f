"""What a person may set in the environment: one table, read alike by web, workers, Spark and the demo.

`table` holds the rows, `reading` reads and checks them, `document` writes the README's table from them.
Knows no other room and no Django. Only `reading` needs a library, so the demo can start without any.
"""
