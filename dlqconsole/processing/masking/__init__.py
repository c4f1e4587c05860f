"""Personal data and secrets, taken out of JSON and of free text before they leave the house.

Three things tell them: the name of a key (``keys``, ``pairs``), what a service writes in front of its tokens
(``secrets``), and the look of a value (``values``).
"""

from dlqconsole.processing.masking.masker import Masker

__all__ = ["Masker"]
