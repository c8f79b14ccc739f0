"""Give all views one look: the style sheet, and templates that write dates as people do."""

from datetime import datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

STYLE = Path(__file__).with_name("theme.css").read_text("utf-8")


def day(value: str) -> str:
    """Write a date as people do: "4 May 2026"; what is no date stays as it is."""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return value
    return f"{moment.day} {moment:%B %Y}"


def moment(value: str) -> str:
    """Write a time as people do: "4 May 2026, 10:00"; a date without a time stays one."""
    has_time = "T" in value and day(value) != value
    return f"{day(value)}, {value.partition('T')[2][:5]}" if has_time else day(value)


def environment(*folders: Path) -> Environment:
    """Make the templates of some folders: what is filled in is escaped, and what is missing is an error."""
    loader = FileSystemLoader([*folders, Path(__file__).parent])
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"day": day, "moment": moment}
    return made
