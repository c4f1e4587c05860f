"""The languages of the console's pages: English, and one for each catalogue in ``console/locale/``."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from django.conf import settings
from django.conf.locale import LANG_INFO
from django.utils import translation

from dlqconsole.configuration import places

SOURCE = "en"
CATALOGUES = places.PACKAGE / "console" / "locale"


@cache
def languages() -> Mapping[str, str]:
    """Return their codes, with each one's name in itself: ``{"en": "English", "zh-hans": "简体中文"}``."""
    codes = sorted(translation.to_language(folder.name) for folder in CATALOGUES.iterdir())
    return MappingProxyType({code: LANG_INFO[code]["name_local"] for code in (SOURCE, *codes)})


def spoken() -> str:
    """Return the active language if the console has it, else what stands in for it: English at last."""
    active = translation.get_language() if settings.USE_I18N else SOURCE
    stand_ins = LANG_INFO.get(active, {}).get("fallback", ())
    return next((code for code in (active, *stand_ins) if code in languages()), SOURCE)


def offered() -> dict[str, str]:
    """Return the languages that a person may choose here: those that the project knows too."""
    known = dict(settings.LANGUAGES) if settings.USE_I18N else {}
    return {code: name for code, name in languages().items() if code in known}
