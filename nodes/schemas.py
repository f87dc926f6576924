"""JSON Schemas as every provider takes them: plain, without titles, defaults or references that some refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.utils.json_schema import dereference_refs
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from previously.nodes.calls import ToolSpec

Schema = dict[str, Any]


class _Plain(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the signature is pydantic's
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        return self.generate_inner(schema["schema"])


def answer_schema(answer: type[BaseModel]) -> Schema:
    """Return the schema of a structured answer; its `title` and `description` name it to providers."""
    schema = _schema(answer)
    return {"title": answer.__name__, "description": (answer.__doc__ or answer.__name__).strip(), **schema}


def tool_schema(tool: ToolSpec) -> Schema:
    """Return the tool in the form that every chat model binds."""
    function = {"name": tool.name, "description": tool.description, "parameters": _schema(tool.arguments)}
    return {"type": "function", "function": function}


def calls_schema(tools: Sequence[ToolSpec]) -> Schema:
    """Return the schema of an answer that holds tool calls as JSON, for models that bind no tools."""
    calls = [
        {
            "type": "object",
            "description": tool.description,
            "properties": {"name": {"const": tool.name}, "args": _schema(tool.arguments)},
            "required": ["name", "args"],
        }
        for tool in tools
    ]
    return {
        "type": "object",
        "properties": {"calls": {"type": "array", "items": {"anyOf": calls}}},
        "required": ["calls"],
    }


def _schema(model: type[BaseModel]) -> Schema:
    schema = model.model_json_schema(schema_generator=_Plain)
    if "$defs" in schema:
        schema = dereference_refs(schema)
    return {key: value for key, value in schema.items() if key not in {"$defs", "title", "description"}}
