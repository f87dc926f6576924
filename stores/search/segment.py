"""How a text becomes terms, in any script.

Words are stemmed where their language has a Snowball stemmer. Scripts without spaces between words become overlapping
runs of characters: two for Chinese, Japanese and Korean, three for Thai, Lao, Khmer and Burmese.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from itertools import chain

import regex
import Stemmer

_RUN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*")
_PART = regex.compile(
    r"(?P<pair>[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー々]+)"
    r"|(?P<triple>[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)"
    r"|(?P<word>(?:(?![\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]).)+)"
)
_HAN = regex.compile(r"\p{Han}")
_WORD_LIMIT = 64
"""Characters of a word that count: a longer run is data (a key, base64), not something to be asked for."""

_BY_SCRIPT = (
    (regex.compile(r"\p{Cyrillic}"), "russian"),
    (regex.compile(r"\p{Greek}"), "greek"),
    (regex.compile(r"\p{Arabic}"), "arabic"),
    (regex.compile(r"\p{Devanagari}"), "hindi"),
    (regex.compile(r"\p{Armenian}"), "armenian"),
    (regex.compile(r"\p{Tamil}"), "tamil"),
)
_LATIN = regex.compile(r"\p{Latin}")

_FREQUENT = {
    "english": "the and is was to of you my it that have for with did what who when where how which are i she he we",
    "german": "der die das und ist ich nicht ein eine mit den wir sie er mein meine was wer wann war hat auf zu im",
    "french": "le la les et est je une des nous vous dans mon ma qui que quand pour pas avec sur elle il du au quel",
    "spanish": "el la los las y es que en un una mi con por para cuando quien no se su yo del al donde cual como",
    "italian": "il lo gli e che di una mi con per non sono mia mio quando chi della nel ho ha dove quale",
    "portuguese": "o os as e que em um uma meu minha com por para quando quem nao do da no na eu onde qual foi",
    "dutch": "de het een en ik van niet dat is mijn met voor wie wat wanneer op zijn heb heeft was naar",
    "swedish": "och att det en ett jag inte min mitt med som pa ar var nar vem vad har till den",
    "norwegian": "og det en et jeg ikke min mitt med som er var nar hvem hva har til pa",
    "danish": "og det en et jeg ikke min mit med som er var hvornar hvem hvad har til af",
    "finnish": "ja on ei mina se han oli kun mika kuka minun etta missa olen",
    "hungarian": "a az es nem egy hogy en van volt ki mi mikor hol meg",
    "romanian": "si nu un o este eu cu pe la ca cine cand unde mea meu am din",
    "polish": "i nie jest w na ze sie to ja moj moja kto kiedy gdzie jak do mam byl byla",
    "czech": "a je se na ze ne to ja muj moje kdo kdy kde jak do mam byl byla",
    "turkish": "ve bir bu ben benim ne kim zaman nerede icin ile degil var mi",
    "indonesian": "dan yang di saya itu ini tidak apa siapa kapan dengan untuk dari ke adalah",
    "catalan": "el la els les i es que en un una meu meva amb per quan qui no del al on",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _FREQUENT.items():
    for _frequent in _words.split():
        _LANGUAGES_OF.setdefault(_frequent, []).append(_language)

_stemmers = threading.local()


def language_of(words: Collection[str]) -> str | None:
    """Return the Snowball language that most frequent words of a text belong to; `None` when there is no telling."""
    counts: dict[str, int] = {}
    for language in chain.from_iterable(_LANGUAGES_OF.get(_folded(word), ()) for word in words):
        counts[language] = counts.get(language, 0) + 1
    return max(counts, key=counts.__getitem__) if counts else None


def is_common(word: str) -> bool:
    """Whether a word in lower case is one of the most frequent of some language, and says little by itself."""
    return _folded(word) in _LANGUAGES_OF


def split(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a text in lower case, and the character runs of what is written without spaces."""
    words: list[str] = []
    runs: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if run.isascii():
            words.append(run.partition("'")[0][:_WORD_LIMIT])
            continue
        for part in _PART.finditer(run):
            if part["word"]:
                words.append(part["word"].replace("’", "'").partition("'")[0][:_WORD_LIMIT])
            else:
                runs += _overlapping(part[0], 2 if part["pair"] else 3)
    return words, runs


@lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    """Return the stem of a word in lower case, without accents: Latin words as `language`, others by their script.

    Accents go last, because stemmers know them and people leave them out.
    """
    if word.isascii() or _LATIN.match(word):
        return _folded(_stemmed(word, language))
    own = next((own for script, own in _BY_SCRIPT if script.match(word)), None)
    return _stemmed(word, own) if own else word


def _overlapping(text: str, size: int) -> list[str]:
    """Return runs of `size` characters, and each Chinese character alone, which is often a word."""
    runs = [text[at : at + size] for at in range(max(1, len(text) - size + 1))]
    return runs + [char for char in text if len(text) > 1 and _HAN.match(char)]


def _folded(word: str) -> str:
    if word.isascii() or not _LATIN.match(word):
        return word
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def _stemmed(word: str, language: str) -> str:
    stemmers: dict[str, Stemmer.Stemmer] = _stemmers.__dict__
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(language)
    found: str = stemmers[language].stemWord(word)
    return found
