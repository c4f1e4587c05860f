"""Where the templates are: the console's, and those that features bring."""

from pathlib import Path

from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "templates"
FOLDERS = [FOLDER, *sorted((Path(settings.BASE_DIR) / "dlqconsole" / "contrib").glob("*/templates"))]
TEMPLATES = sorted(path for folder in FOLDERS for path in folder.rglob("*.html"))


def named(template: Path) -> str:
    """The name by which Django finds it."""
    folder = next(folder for folder in FOLDERS if template.is_relative_to(folder))
    return str(template.relative_to(folder))
