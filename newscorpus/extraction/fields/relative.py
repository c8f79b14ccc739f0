"""Dates told by their distance from now: "yesterday", "vor 3 Stunden", "před 2 hodinami", "jučer u 14:30"."""

import re
from datetime import date, datetime, timedelta

from newscorpus.extraction.fields.months import fold

DAYS = {
    0: """
    today heute dnes dziś dzisiaj danas данас danes сегодня сьогодні днес денес сёння σήμερα aujourd'hui hoy oggi hoje
    vandaag idag i dag tänään ma bugün azi šiandien šodien täna avui
    """,
    1: """
    yesterday gestern včera wczoraj jučer juče јуче včeraj вчера учора вчора ўчора χθες χτες hier ayer ieri ontem
    gisteren igår i går eilen tegnap dün vakar eile ahir
    """,
    2: """
    vorgestern předevčírem predvčerom przedwczoraj prekjučer prekjuče прекјуче predvčerajšnjim позавчора позавчера
    онзи προχθές avant-hier anteayer anteontem l'altroieri eergisteren
    """,
}
"""Words for today, yesterday and the day before."""

UNITS = {
    timedelta(minutes=1): """
    min minute minutes minuten minut minuta minutą minuty minutami minutę minute minuti minutu minúta minút minútami
    minútou minuto minutama minut минута минуты минут минуту минути минут хвилина хвилини хвилин хвилину λεπτά λεπτό
    λεπτών minuta minutos minuti minuut dakika perc минуте минута
    """,
    timedelta(hours=1): """
    h hr hrs hour hours stunde stunden std hodina hodiny hodin hodinou hodinami hodinu hodín godzina godziny godzin
    godzinę sat sata sati сат сата сати ura ure ur urami uro час часа часов часове година години годин годину ώρα ώρες
    ωρών heure heures hora horas ora ore uur uren timer timme timmar saat óra tuntia
    """,
    timedelta(days=1): """
    d day days tag tage tagen den dny dní dnem dny deň dni dňami dňom dzień dan dana dani dnevi dnevom dnevoma дан
    дана день дня дней дни днів ден дена μέρα μέρες ημέρα ημέρες ημερών jour jours día días giorno giorni dia dias dag
    dagen dagar gün nap päivää
    """,
    timedelta(weeks=1): """
    week weeks woche wochen týden týdny týdnem týždeň týždne tydzień tygodnie tygodni tjedan tjedna tjedana nedelju
    nedelje teden tedni tednoma неделя недели недель седмица седмици тиждень тижні тижнів εβδομάδα εβδομάδες semaine
    semaines semana semanas settimana settimane
    """,
}
"""Words for units of time, in the cases that "ago" demands."""

AGO = (
    "vor", "před", "pred", "prije", "pre", "пре", "преди", "пред", "πριν", "il y a", "hace", "há", "fa", "ago",
    "temu", "назад", "тому", "geleden", "siden", "sedan", "önce", "nazaj", "ezelőtt", "sitten", "vorher",
)  # fmt: skip
"""Words that say "ago", before or after the number."""

DAY_WORDS = {fold(word): days for days, words in DAYS.items() for word in words.split() if len(word) > 2}
UNIT_WORDS = {fold(word): unit for unit, words in UNITS.items() for word in words.split()}
AGO_WORDS = re.compile(rf"\b(?:{'|'.join(map(fold, AGO))})\b")
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
COUNTED = re.compile(r"(?<![\d.:/-])(?P<count>\d{1,3})\s*(?P<unit>[^\W\d_]+)")
NEAR = 20
"""Characters on either side of a counted unit in which "ago" must stand."""


def relative_day(text: str, today: date) -> tuple[date, int, int] | None:
    """The day that a word such as "yesterday" names, and where the word starts and ends; None without one."""
    for match in WORD.finditer(text):
        days = DAY_WORDS.get(fold(match[0]).replace("’", "'"))
        if days is not None:
            return today - timedelta(days=days), match.start(), match.end()
    return None


def time_ago(text: str, now: datetime) -> tuple[datetime, bool] | None:
    """The time that "3 hours ago" names, and whether it is known to the minute; None where nothing is counted."""
    for match in COUNTED.finditer(text):
        unit = UNIT_WORDS.get(fold(match["unit"]))
        around = text[max(0, match.start() - NEAR) : match.start()] + " " + text[match.end() : match.end() + NEAR]
        if unit and AGO_WORDS.search(fold(around)):
            return now - int(match["count"]) * unit, unit < timedelta(days=1)
    return None
