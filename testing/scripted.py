"""`ScriptedChatModel`: a chat model that answers from a script and records what it was asked."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from previously.testing.replies import Hang, Reply, as_message
from previously.testing.script import ModelCall, Script, ScriptLike


class ScriptedChatModel(BaseChatModel):
    """Answers from a script, in any form that it is asked for: text, structured answer, tool calls, stream.

    The script is a list of replies, one for each call; or a function of the `ModelCall`; or a mapping of such lists,
    functions or single replies (given to every call) from a key. A key is the name of a step of `previously`, else of a
    tool that is offered, else a part of the prompt; `""` fits what nothing else does. A reply is one of
    `previously.testing.Reply`. Calls beyond the script raise `ScriptExhausted`.

    Safe to share between threads and event loops.
    """

    calls_tools: bool = True
    """`False`: the model has no tool calling, as many local models; it binds no tools."""
    _script: Script = PrivateAttr()

    def __init__(self, script: ScriptLike = (), **fields: Any) -> None:
        """Raise no error for a short script: what is missing shows when it is asked for."""
        super().__init__(**fields)
        self._script = Script(script)

    @property
    def calls(self) -> list[ModelCall]:
        """Every call so far, in order, also those that failed."""
        return self._script.calls

    @property
    def _llm_type(self) -> str:
        return "previously-scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return the model with `tools` offered. Raises `NotImplementedError` when it calls no tools."""
        if not self.calls_tools:
            raise NotImplementedError("this model calls no tools")
        specs = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=specs, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the signature of every chat model
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        call = _call(messages, run_manager, kwargs)
        number, reply = self._script.next(call)
        while isinstance(reply, Hang):
            time.sleep(reply.seconds)
            reply = reply.reply
        return _result(reply, call, number)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        call = _call(messages, run_manager, kwargs)
        number, reply = self._script.next(call)
        while isinstance(reply, Hang):
            await asyncio.sleep(reply.seconds)
            reply = reply.reply
        return _result(reply, call, number)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self._generate(messages, stop, run_manager, **kwargs)):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(await self._agenerate(messages, stop, run_manager, **kwargs)):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def _call(
    messages: list[BaseMessage],
    manager: CallbackManagerForLLMRun | AsyncCallbackManagerForLLMRun | None,
    options: dict[str, Any],
) -> ModelCall:
    return ModelCall(
        step=str(manager.metadata.get("previously_step", "")) if manager else "",
        messages=tuple(messages),
        tools=tuple(spec["function"]["name"] for spec in options.get("tools") or ()),
        options={name: value for name, value in options.items() if name != "tools"},
    )


def _result(reply: Reply, call: ModelCall, number: int) -> ChatResult:
    if isinstance(reply, Exception):
        raise reply
    message = as_message(reply, wanted=call.wanted, number=number, prompt=call.messages)
    return ChatResult(generations=[ChatGeneration(message=message)])


def _chunks(result: ChatResult) -> Iterator[ChatGenerationChunk]:
    """Yield an answer in pieces: its words, then its tool calls, its ending and the counts."""
    message = result.generations[0].message
    assert isinstance(message, AIMessage)  # noqa: S101 - made by `as_message`
    for piece in re.findall(r"\s*\S+\s*", message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=index)
        for index, call in enumerate(message.tool_calls)
    ]
    last = AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        additional_kwargs=message.additional_kwargs,
        response_metadata=message.response_metadata,
        usage_metadata=message.usage_metadata,
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last)
