"""Write a shown page as HTML: its own markup in a frame where nothing runs or loads, its text, fields and log."""

import base64
import hashlib
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from newscorpus.views.explain.page import ShownPage

FOLDER = Path(__file__).parent / "templates"

TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
TEMPLATES.policies["json.dumps_function"] = lambda value, **_: msgspec.json.encode(value).decode()

STYLE = (FOLDER / "shown.css").read_text("utf-8")
SCRIPT = (FOLDER / "shown.js").read_text("utf-8")
FRAME_STYLE = (FOLDER / "frame.css").read_text("utf-8")


def source_hash(text: str) -> str:
    """The hash by which a content security policy allows a style or script that stands on the page itself."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def frame(markup: str, language: str = "") -> str:
    """The document of the frame: the markup of a page, under a policy of its own."""
    policy = f"default-src 'none'; style-src {source_hash(FRAME_STYLE)}"
    return TEMPLATES.get_template("frame.html").render(
        markup=markup, policy=policy, style=FRAME_STYLE, language=language
    )


def saved_page(shown: ShownPage, name: str) -> bytes:
    """A shown page as one file without references to others, in UTF-8; `name` is its heading."""
    styles = " ".join(map(source_hash, (STYLE, FRAME_STYLE)))
    policy = f"default-src 'none'; script-src {source_hash(SCRIPT)}; style-src {styles}"
    text = TEMPLATES.get_template("saved.html").render(
        shown=shown, name=name, frame=frame, policy=policy, style=STYLE, script=SCRIPT
    )
    return text.encode("utf-8", "replace")
