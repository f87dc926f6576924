"""The card as the prompt shows it, read line by line. Tolerant: what is no line of a section is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_TAIL = re.compile(r"\s*(?:— by: |— refs: |— overrides: |\| since: ).*$")
_BY = re.compile(r"— by: (\d{4}-\d\d-\d\d)")
_LABELS = {"name": "name", "address them as": "address_as", "pronouns": "pronouns", "alias": "alias"}
_SECTIONS = {"identity": "identity", "past": "anchors", "now": "now", "horizon": "horizon"}


@dataclass(slots=True)
class CardView:
    """Texts of a card without their tails."""

    identity: dict[str, str] = field(default_factory=dict)
    """Field of `set_identity` → value."""
    profile: str = ""
    anchors: list[str] = field(default_factory=list)
    now: list[str] = field(default_factory=list)
    horizon: dict[str, str] = field(default_factory=dict)
    """Text → ISO date (`""`: none)."""
    rules: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The user's name; `""` when the card has none."""
        return self.identity.get("name", "")


def read_card(lines: Iterable[str]) -> CardView:
    """Return what the lines of a card say."""
    view, section = CardView(), ""
    for line in lines:
        if line.startswith("## "):
            title = line[3:].strip().lower()
            section = "rules" if title.startswith("self-model") else _SECTIONS.get(title, "")
        elif line.startswith("- "):
            _add_entry(view, section, line[2:].strip())
        elif section == "anchors" and line.strip() and not line.startswith(("#", "_", "<!--")):
            view.profile = f"{view.profile} {line.strip()}".strip()
    view.profile = _TAIL.sub("", view.profile)
    return view


def _add_entry(view: CardView, section: str, line: str) -> None:
    text = _TAIL.sub("", line)
    if section == "identity":
        label, _, value = text.partition(":")
        if known := _LABELS.get(label.strip().lower()):
            view.identity[known] = value.strip()
    elif section == "horizon":
        found = _BY.search(line)
        view.horizon[text] = found[1] if found else ""
    elif section:
        entries: list[str] = getattr(view, section)
        entries.append(text)
