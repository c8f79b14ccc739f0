"""Find the files that travel with the package: trained models, the bundled portals, and lists of words."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent

WHEEL_FOLDERS = {"models": PACKAGE / "models", "portals": PACKAGE / "portals" / "files"}
"""Where the wheel puts the folders that stand at the top of the checkout (pyproject.toml, `package-dir`)."""


def data_folder(name: str) -> Path:
    """The folder `models` or `portals`: inside the installed package, else at the top of the checkout."""
    installed = WHEEL_FOLDERS[name]
    return installed if installed.is_dir() else PACKAGE.parent / name


def project_folder() -> Path | None:
    """The nearest folder, from the current one upwards, with a `scrapy.cfg`; None outside a Scrapy project."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "scrapy.cfg").is_file()), None)


def read_toml(package: str, name: str) -> Mapping[str, Any]:
    """What a TOML file says that lies beside the modules of `package`."""
    return tomllib.loads((files(package) / name).read_text("utf-8"))
