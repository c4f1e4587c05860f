"""The folders of the console's own files. A checkout has them at its root, the wheel within the package."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# where the wheel has them (pyproject.toml, `force-include`)
IS_INSTALLED = (PACKAGE / "templates").is_dir()
_FOLDER = PACKAGE if IS_INSTALLED else PACKAGE.parent
TEMPLATES = _FOLDER / "templates"
STATIC = _FOLDER / "static"
