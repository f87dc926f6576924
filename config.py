"""Where memory lives and which model works on it: from arguments, then environment variables, then defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from langchain_core.language_models import BaseChatModel

from previously.prompts.registry import language_code
from previously.state.errors import InvalidInput

HOME_VARIABLE = "PREVIOUSLY_HOME"
MODEL_VARIABLE = "PREVIOUSLY_MODEL"
DATABASE_VARIABLE = "PREVIOUSLY_DATABASE_URL"
CHROMA_VARIABLE = "PREVIOUSLY_CHROMA_URL"
LANGUAGE_VARIABLE = "PREVIOUSLY_LANGUAGE"
OFFLINE = "offline"


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that is needed to open a memory."""

    home: Path
    """Folder of the embedded stores: `memory.db`, `mirror/`, `index/`, `checkpoints.db`."""
    database: str | Path
    """SQLite path, or a SQLAlchemy URL such as `postgresql+psycopg://…`."""
    model: str | BaseChatModel
    """`offline`, `provider:name`, or a chat model object."""
    chroma: str | None = None
    """URL of a Chroma server; `None` is the embedded one under `home`."""
    language: str | None = None


def load_config(
    home: str | Path | None = None,
    *,
    model: str | BaseChatModel | None = None,
    database: str | Path | None = None,
    chroma: str | None = None,
    language: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Config:
    """Return the configuration; an argument wins over its environment variable, which wins over the default.

    `PREVIOUSLY_HOME` (default `.previously` in the working folder), `PREVIOUSLY_DATABASE_URL`, `PREVIOUSLY_MODEL`
    (default `offline`: rules, no key), `PREVIOUSLY_CHROMA_URL`, `PREVIOUSLY_LANGUAGE`.
    """
    folder = Path(home or environ.get(HOME_VARIABLE) or ".previously").expanduser()
    return Config(
        home=folder,
        database=database or environ.get(DATABASE_VARIABLE) or folder / "memory.db",
        model=model or environ.get(MODEL_VARIABLE) or OFFLINE,
        chroma=chroma or environ.get(CHROMA_VARIABLE) or None,
        language=_language(language or environ.get(LANGUAGE_VARIABLE)),
    )


def _language(code: str | None) -> str | None:
    """Return the code of a language with prompts. Raises `InvalidInput` before anything is opened."""
    return language_code(code) if code else None


def open_model(model: str | BaseChatModel) -> BaseChatModel:
    """Return the chat model that a name stands for: `offline`, or `provider:name` as LangChain spells it.

    `openai:…` needs nothing else; other providers need the extra `previously[langchain]` and their own package.
    """
    if isinstance(model, BaseChatModel):
        return model
    if model == OFFLINE:
        from previously.offline import OfflineChatModel  # noqa: PLC0415 - rules are loaded when they are used

        return OfflineChatModel()
    provider, _, name = model.partition(":")
    if not name:
        raise InvalidInput("model", f"{model!r} names no provider: write it as provider:name, e.g. openai:gpt-5-mini")
    if provider == "openai":
        return _openai(name)
    try:
        from langchain.chat_models import init_chat_model  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidInput("model", f"{model!r} needs the extra previously[langchain]: pip install it") from None
    try:
        found: BaseChatModel = init_chat_model(name, model_provider=provider)
    except (ImportError, ValueError) as error:
        raise InvalidInput("model", f"{model!r} can't be opened: {error}") from None
    return found


def _openai(name: str) -> BaseChatModel:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - takes 0.7 s to import
    from openai import OpenAIError  # noqa: PLC0415

    try:
        return ChatOpenAI(model=name)
    except OpenAIError as error:
        raise InvalidInput("model", f"'openai:{name}' can't be opened: {error}") from None
