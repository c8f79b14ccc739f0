"""Hours in which a portal is not asked."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

WRITTEN = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A span of every day; it may reach over midnight.

    Attributes:
        begin: wall clock time at which it begins.
        end: at which it ends.
        zone: whose wall clock.
    """

    begin: time
    end: time
    zone: ZoneInfo

    def until(self, now: float) -> float:
        """When the quiet hours that hold at `now` end; `now` itself outside them. Seconds since the epoch."""
        here = datetime.fromtimestamp(now, self.zone)
        for day in (here.date() - timedelta(days=1), here.date()):
            begin = datetime.combine(day, self.begin, self.zone)
            last = day if self.begin < self.end else day + timedelta(days=1)
            end = datetime.combine(last, self.end, self.zone)
            if begin.timestamp() <= now < end.timestamp():
                return end.timestamp()
        return now


def read_quiet_hours(text: str, zone: str) -> QuietHours:
    """Read a span such as "22:00-06:00" in the zone of an IANA name, such as "Europe/Prague".

    Raises:
        ValueError: one of them is no such thing; the message says which.
    """
    found = WRITTEN.fullmatch(text)
    if not found or found[1] + found[2] == found[3] + found[4]:
        raise ValueError(f"quiet_hours: {text!r}; expected a span such as '22:00-06:00'")
    first_hour, first_minute, last_hour, last_minute = map(int, found.groups())
    return QuietHours(time(first_hour, first_minute), time(last_hour, last_minute), read_zone(zone))


def read_zone(name: str) -> ZoneInfo:
    """The time zone of an IANA name.

    Raises:
        ValueError: there is none.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, ZoneInfoNotFoundError) as error:
        raise ValueError(f"time_zone: {name!r} is no zone of the IANA database, such as 'Europe/Prague'") from error
