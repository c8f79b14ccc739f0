"""Names of months, in all cases they inflect to, in some thirty languages.

Czech, Slovak, Polish, Croatian, Serbian (both scripts), Bosnian, Macedonian, Slovene, Russian, Ukrainian, Belarusian,
Bulgarian and Greek with every case; the others in the forms that stand in dates. Checked against the names of the
Unicode CLDR (see the tests).

Dates told by their distance from now: "yesterday", "vor 3 Stunden", "před 2 hodinami", "jučer u 14:30".
"""

import re
import unicodedata
from datetime import date, datetime, timedelta
from functools import lru_cache

MONTHS = (
    """
    led leden ledna lednu lednem január januára januári januárom januáru styczeń stycznia styczniu styczniem
    styczniowi sty siječanj siječnja siječnju siječnjem sij januare januarja januarju januarjem jan јан јануар
    јануара јануару јануаром јануари январь января январю январем январе янв януари яну січень січня січню
    січнем січні січ студзень студзеня студзені ιανουάριος ιανουάριο ιανουαρίου γενάρης γενάρη ιαν jänner
    janvier janv enero ene gennaio gen janeiro january tammikuuta tammikuu ianuarie ian ocak oca sausio sausis
    janvāris janvārī jaanuar gener janar يناير जनवरी
    """,
    """
    úno únor února únoru únorem február februára februári februárom februáru luty lutego lutemu lutym lut
    veljača veljače veljači veljaču veljačom velj februare februarja februarju februarjem feb febr феб фебруар
    фебруара фебруару фебруаром фебруари фев февруари февраль февраля февралю февралем феврале февр лют лютий
    лютого лютому лютим люты лютага φεβρουάριος φεβρουάριο φεβρουαρίου φλεβάρης φλεβάρη φεβ φεβρ feber février
    févr fév febrero febbraio fevereiro february helmikuuta helmikuu februarie şubat şub vasario vasaris
    februāris veebruar veebr febrer shkurt فبراير फ़रवरी
    """,
    """
    bře březen března březnu březnem marec marca marci marcu marcom marcem marzec mar ožujak ožujka ožujku
    ožujkom ožu mart marta martu martom март марта марту мартом марте мар березень березня березню березнем
    березні бер сакавік сакавіка сакавіку μάρτιος μάρτιο μαρτίου μάρτης μάρτη μαρ märz mrz maerz mars marzo
    março march maart mrt marts maaliskuuta maaliskuu március márc martie kovo kovas مارس मार्च machi maret
    """,
    """
    dub duben dubna dubnu dubnem apríl apríla apríli aprílom aprílu kwi kwiecień kwietnia kwietniu kwietniem
    kwietniowi tra travanj travnja travnju travnjem aprile apr април априла априлу априлом априли апр апрель
    апреля апрелю апрелем апреле квітень квітня квітню квітнем квітні квіт кві красавік красавіка красавіку
    απρίλιος απρίλιο απριλίου απρίλης απρίλη απρ avril avr abril abr huhtikuuta huhtikuu április aprilie nisan
    nis balandžio balandis aprill prill أبريل अप्रैल abrëll
    """,
    """
    kvě květen května květnu květnem máj mája máji máju májom májem svi svibanj svibnja svibnju svibnjem мај
    маја мају мајем мајом май мая маю маем мае травень травня травню травнем травні трав тра μάιος μάιο μαΐου
    μάης μάη μάι mai mayo may maggio mag maio mei toukokuuta toukokuu május mayıs gegužės gegužė maijs maijā
    maig مايو मई mee
    """,
    """
    čvn červen června červnu červnem čer jún júna júni júnom júnu cze czerwiec czerwca czerwcu czerwcem lipanj
    lipnja lipnju lipnjem june junij junija juniju junijem јун јуна јуну јуном јуни июнь июня июню июнем июне
    юни червень червня червню червнем червні черв чер чэрвень чэрвеня чэрвені ιούνιος ιούνιο ιουνίου ιούνης
    ιούνη ιούν juin junio giugno giu junho kesäkuuta kesäkuu június iunie iun haziran haz birželio birželis
    jūnijs juuni juny qershor يونيو जून
    """,
    """
    čvc červenec července červenci červencem júl júla júli júlom júlu lipiec lipca lipcu lipcem srpanj srpnja
    srpnju srpnjem jule julij julija juliju julijem јул јула јулу јулом јули июль июля июлю июлем июле юли
    липень липня липню липнем липні лип ліпень ліпеня ліпені ιούλιος ιούλιο ιουλίου ιούλης ιούλη ιούλ juillet
    juil julio luglio lug julho july heinäkuuta heinäkuu július iulie iul temmuz tem liepos liepa jūlijs juuli
    juliol korrik يوليو जुलाई julai
    """,
    """
    srpen srpna srpnu srpnem august augusta auguste augustom augustu augusti sie sierpień sierpnia sierpniu
    sierpniem sierpniowi kol kolovoz kolovoza kolovozu kolovozom avgust avgusta avgustu avgustom avg aug август
    августа августу августом августе авг серпень серпня серпню серпнем серпні серп сер жнівень жніўня жніўні
    αύγουστος αύγουστο αυγούστου αύγ août agosto ago augustus elokuuta elokuu augusztus ağustos ağu rugpjūčio
    rugpjūtis augusts agost gusht أغسطس अगस्त agosti agustus
    """,
    """
    zář září zářím wrz wrzesień września wrześniu wrześniem wrześniowi ruj rujan rujna rujnu rujnom rujnem
    september septembar septembra septembru septembrom septembri septembre sept sep септембар септембра
    септембру септембром септембри септември сеп септ сентябрь сентября сентябрю сентябрем сентябре сен сент
    вересень вересня вересню вереснем вересні вер верасень верасня верасні σεπτέμβριος σεπτέμβριο σεπτεμβρίου
    σεπτέμβρης σεπτέμβρη σεπ σεπτ septiembre setiembre settembre set setembro syyskuuta syyskuu szeptember szept
    septembrie eylül eyl rugsėjo rugsėjis septembris setembre shtator سبتمبر सितंबर सितम्बर septemba
    """,
    """
    říj říjen října říjnu říjnem okt október októbra októbri októbru októbrom paź październik października
    październiku październikiem październikowi oktobar oktobre октобар октобра октобру октобром октобри октомври
    окт октябрь октября октябрю октябрем октябре октом жовтень жовтня жовтню жовтнем жовтні жовт жов кастрычнік
    кастрычніка кастрычніку οκτώβριος οκτώβριο οκτωβρίου οκτώβρης οκτώβρη οκτ octobre oct octubre ottobre ott
    outubro out october lokakuuta lokakuu octombrie ekim eki spalio spalis oktobris oktoober tetor أكتوبر
    अक्टूबर अक्तूबर oktoba
    """,
    """
    listopadem listopadzie listopadowi stu studeni studenog studenoga studenom studenome studenomu november
    novembar novembra novembru novembrom novembri novembre nov новембар новембра новембру новембром новембри
    ноември нов ное ноябрь ноября ноябрю ноябрем ноябре нояб ноя лист лис листопад листопада листопаду
    листопадом листопаді лістапад лістапада лістападзе νοέμβριος νοέμβριο νοεμβρίου νοέμβρης νοέμβρη νοε νοεμ
    noviembre novembro marraskuuta marraskuu noiembrie noi kasım kas lapkričio lapkritis novembris nëntor نوفمبر
    नवंबर नवम्बर novemba
    """,
    """
    pro prosinec prosince prosinci prosincem prosinac prosinca prosincu gru grudzień grudnia grudniu grudniem
    grudniowi december decembar decembra decembru decembrom decembri decembre dec децембар децембра децембру
    децембром децембри декември дец дек декабрь декабря декабрю декабрем декабре грудень грудня грудню груднем
    грудні груд гру снежань снежня снежні δεκέμβριος δεκέμβριο δεκεμβρίου δεκέμβρης δεκέμβρη δεκ dezember dez
    diciembre dic dicembre dezembro desember des joulukuuta joulukuu decembrie aralık ara gruodžio gruodis
    decembris detsember dets desembre dhjetor ديسمبر दिसंबर दिसम्बर desemba
    """,
)
"""Words for January to December, lower case, parted by white space; accents are folded before they are compared."""

AMBIGUOUS = {
    "listopad": {"hr": 10, "": 11},
    "listopada": {"hr": 10, "": 11},
    "listopadu": {"hr": 10, "": 11},
    "listopadom": {"hr": 10, "": 11},
    "lis": {"hr": 10, "": 11},
    "lip": {"hr": 6, "": 7},
    "srp": {"hr": 7, "": 8},
}
"""Words that are one month in Croatian and the next in Polish, Czech or Slovak."""
SOUTH_SLAVIC = frozenset({"hr", "bs", "sr", "sh"})

ROMAN = {name: number for number, name in enumerate("I II III IV V VI VII VIII IX X XI XII".split(), 1)}


@lru_cache(8_192)  # the words of bylines are few
def fold(word: str) -> str:
    """`word` in one case and without accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(char))


NUMBERS = {fold(word): number for number, words in enumerate(MONTHS, 1) for word in words.split()}


def month_number(word: str, language: str = "", ordinal_day: bool = False) -> int:
    """Number of the month that `word` names, 0 for none.

    Args:
        word: in any case and letter case, or a Roman number in capitals.
        language: primary tag of the page's language, "" where unknown.
        ordinal_day: the day before the month bears a dot; without a language that tells Croatian from Polish.
    """
    if word in ROMAN:
        return ROMAN[word]
    folded = fold(word)
    if folded in AMBIGUOUS:
        croatian = language in SOUTH_SLAVIC or (not language and ordinal_day and folded == "listopada")
        return AMBIGUOUS[folded]["hr" if croatian else ""]
    return NUMBERS.get(folded, 0)


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
