"""The console as a guest in somebody's Django project: the one in ``project/``, as ``startproject`` makes it.

It has accounts of its own, a sign-in page, an error page and an application called ``archive``.
"""
