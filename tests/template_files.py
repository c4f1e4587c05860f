"""Where the templates are: the console's, and those that features bring."""

from pathlib import Path

from django.conf import settings

from dlqconsole.features import features

FOLDER = Path(settings.BASE_DIR) / "templates"
CONTRIB = Path(settings.BASE_DIR) / "dlqconsole" / "contrib"
FOLDERS = [FOLDER, *(CONTRIB / feature.name / "templates" for feature in features())]
TEMPLATES = sorted(path for folder in FOLDERS for path in folder.rglob("*.html"))


def named(template: Path) -> str:
    """The name by which Django finds it."""
    folder = next(folder for folder in FOLDERS if template.is_relative_to(folder))
    return str(template.relative_to(folder))
