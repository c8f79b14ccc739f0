"""The header Retry-After."""

from datetime import UTC
from email.utils import parsedate_to_datetime


def read_retry_after(value: str, now: float) -> float | None:
    """Seconds that `value` asks to wait (RFC 9110, section 10.2.3: a number or a date); None where it is neither.

    Args:
        value: of the header; "" where there is none.
        now: seconds since the epoch.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
