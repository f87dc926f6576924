"""`OfflineChatModel`: a chat model without a network, which answers the package's own prompts by rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from previously.offline.analyze import analyze
from previously.offline.card import next_calls
from previously.offline.chat import reply
from previously.offline.draft import Call
from previously.offline.evolution import brief_colleagues, evolve
from previously.prompts.analyze import TurnAnalysis
from previously.prompts.evolution import Evolution, Playbooks

MODEL_NAME = "previously-offline-rules"
_ANSWERS: dict[type[BaseModel], Callable[[str], dict[str, Any]]] = {
    TurnAnalysis: analyze,
    Evolution: evolve,
    Playbooks: brief_colleagues,
}
"""Answer model → rules. Its docstring stands in its JSON Schema wherever a prompt spells that out."""
_CHARACTERS_PER_TOKEN = 4
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


class OfflineChatModel(BaseChatModel):
    """Answers by rules, in English and Chinese; extractive and modest. For trying out, and for tests of real graphs.

    It is bound, invoked and streamed like any chat model. What it is asked for shows in the tools bound to it: the
    analysis of a turn, the edits of a card, or (with other tools or none) a short reply. It calls no tool of a host's.
    """

    @property
    def _llm_type(self) -> str:
        return "previously-offline"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": MODEL_NAME}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return the model with `tools` offered, as any tool-calling chat model does."""
        specs = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=specs, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the signature of every chat model
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_respond(messages, kwargs))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(_respond(messages, kwargs)):
            generation = ChatGenerationChunk(message=chunk)
            if run_manager and chunk.text:
                run_manager.on_llm_new_token(chunk.text, chunk=generation)
            yield generation


def _respond(messages: Sequence[BaseMessage], options: dict[str, Any]) -> AIMessage:
    """Return the answer to a prompt, with its token counts."""
    names = frozenset(spec["function"]["name"] for spec in options.get("tools") or ())
    text, calls = _answer(messages, names, json.dumps(options.get("response_format") or {}))
    written = text + "".join(json.dumps(call.args, ensure_ascii=False) for call in calls)
    asked, answered = sum(_tokens(message.text) for message in messages), _tokens(written)
    position = len(messages)
    return AIMessage(
        text,
        tool_calls=[
            tool_call(name=call.name, args=call.args, id=f"call_{position}_{number}")
            for number, call in enumerate(calls, 1)
        ],
        usage_metadata=UsageMetadata(input_tokens=asked, output_tokens=answered, total_tokens=asked + answered),
        response_metadata={"model_name": MODEL_NAME, "finish_reason": "tool_calls" if calls else "stop"},
    )


def _answer(messages: Sequence[BaseMessage], tools: frozenset[str], wanted: str) -> tuple[str, list[Call]]:
    prompt = next((message.text for message in messages if isinstance(message, HumanMessage)), "")
    for form, rules in _ANSWERS.items():
        if tools == {form.__name__}:
            return "", [Call(form.__name__, rules(prompt))]
    if "finish" in tools:
        return "", next_calls(prompt, messages, tools)
    spelled = wanted + "".join(m.text for m in messages if isinstance(m, SystemMessage | HumanMessage))
    for form, rules in _ANSWERS.items():
        if not tools and form.__doc__ and form.__doc__ in spelled:
            return json.dumps(rules(prompt), ensure_ascii=False), []
    return reply(messages), []


def _chunks(message: AIMessage) -> Iterator[AIMessageChunk]:
    """Yield the answer in pieces as a provider would: words, then tool calls, then the counts."""
    for piece in re.findall(r"\s*\S+\s*", message.text):
        yield AIMessageChunk(content=piece, id=message.id)
    calls = [
        tool_call_chunk(
            name=call["name"], args=json.dumps(call["args"], ensure_ascii=False), id=call["id"], index=index
        )
        for index, call in enumerate(message.tool_calls)
    ]
    yield AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        usage_metadata=message.usage_metadata,
        response_metadata=message.response_metadata,
        chunk_position="last",
    )


def _tokens(text: str) -> int:
    """Return a rough count: a character of a wide script is one token, four others are."""
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide + _CHARACTERS_PER_TOKEN - 1) // _CHARACTERS_PER_TOKEN
