"""Where the files that travel with the package lie: trained models and the bundled portals."""

from pathlib import Path

PACKAGE = Path(__file__).parent

WHEEL_FOLDERS = {"models": PACKAGE / "models", "portals": PACKAGE / "portals" / "files"}
"""Where the wheel puts the folders that stand at the top of the checkout (pyproject.toml, `package-dir`)."""


def data_folder(name: str) -> Path:
    """The folder `models` or `portals`: inside the installed package, else at the top of the checkout."""
    installed = WHEEL_FOLDERS[name]
    return installed if installed.is_dir() else PACKAGE.parent / name
