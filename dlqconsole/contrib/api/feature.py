"""The declaration of the API: the places where it plugs in."""

from dlqconsole.features import Feature

FEATURE = Feature(name="api", addresses="dlqconsole.contrib.api.urls")
