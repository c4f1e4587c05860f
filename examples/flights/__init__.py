"""The flights of New York, 2013: a year of real events, some of them bound to fail.

Everything here is written the way a user of dlqconsole would write it.
"""
