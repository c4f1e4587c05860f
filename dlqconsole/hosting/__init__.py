"""The Django project that the console is an application of: somebody's, or our own ``dlqconsole.settings``.

Here stands all that the console gets from it and asks of it. Nothing else knows whose project it is.
"""
