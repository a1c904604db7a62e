from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ImageContent, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from aistream_nb.errors import ToolExecutionError, ToolInputError
from aistream_nb.tools import mcp_tools


class Weather(BaseModel):
    town: str
    high: int


def make_server() -> MCPServer:
    server = MCPServer("weather")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True, title="Forecast"))
    def get_weather(town: Annotated[str, Field(description="Where")]) -> Weather:
        """The weather in a town."""
        return Weather(town=town, high=14)

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    def forget(town: str) -> str:
        """Forget a town."""
        if town == "Split":
            raise ToolError("never")
        return f"forgot {town}"

    @server.tool(name="draw.map", structured_output=False)
    def draw_map() -> list[Any]:
        """A map."""
        picture = ImageContent(type="image", data="AAAA", mime_type="image/png")
        return [TextContent(type="text", text="here"), picture]

    @server.tool(structured_output=False)
    def say() -> list[TextContent]:
        """Two lines."""
        return [TextContent(type="text", text=one) for one in ("one", "two")]

    return server


async def test_the_tools_of_a_server_are_ours_annotations_included():
    async with Client(make_server()) as client:
        weather, forget, draw, say = await mcp_tools(client, prefix="w_")
        assert weather.spec.name == "w_get_weather"
        assert weather.spec.description == "The weather in a town."
        assert weather.spec.annotations.title == "Forecast"
        assert weather.spec.annotations.read_only is True
        assert forget.spec.annotations.destructive is True
        assert draw.spec.name == "w_draw_map"
        town = weather.spec.parameters["properties"]["town"]
        assert town["description"] == "Where"

        assert await weather.execute({"town": "Hvar"}) == {"town": "Hvar", "high": 14}
        assert await say.execute({}) == "one\ntwo"
        drawn: Any = await draw.execute({})
        assert [block["type"] for block in drawn] == ["text", "image"]


async def test_a_failure_of_the_server_is_a_failure_of_the_tool():
    async with Client(make_server()) as client:
        _, forget, *_ = await mcp_tools(client)
        with pytest.raises(ToolExecutionError, match="never"):
            await forget.execute({"town": "Split"})
        with pytest.raises(ToolInputError, match="misses town"):
            await forget.execute({})


async def test_the_session_of_the_sdk_serves_as_well_as_its_client():
    async with Client(make_server()) as client:
        assert len(await mcp_tools(client.session)) == 4


class Page(BaseModel):
    tools: list[dict[str, Any]]
    nextCursor: str | None = None  # noqa: N815 the protocol's name


class PagedSession:
    """A session whose server has its tools on several pages."""

    def __init__(self, *pages: Page) -> None:
        self.pages = list(pages)
        self.asked: list[Any] = []

    @property
    def list_tools(self) -> Callable[..., Awaitable[Any]]:
        async def list_tools(cursor: str | None = None) -> Page:
            self.asked.append(cursor)
            return self.pages[min(len(self.asked), len(self.pages)) - 1]

        return list_tools

    @property
    def call_tool(self) -> Callable[..., Awaitable[Any]]:
        async def call_tool(name: str, arguments: dict[str, Any]) -> CallToolResult:
            return CallToolResult(content=[], is_error=True)

        return call_tool


def described(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


async def test_every_page_of_tools_is_read():
    session = PagedSession(
        Page(tools=[described("a")], nextCursor="2"), Page(tools=[described("b")])
    )
    assert [one.spec.name for one in await mcp_tools(session)] == ["a", "b"]
    assert session.asked == [None, "2"]


async def test_a_newer_session_is_asked_for_a_page_by_parameters():
    class Newer(PagedSession):
        @property
        def list_tools(self) -> Callable[..., Awaitable[Any]]:
            async def list_tools(*, params: Any = None) -> Page:
                self.asked.append(params.cursor if params else None)
                return self.pages[len(self.asked) - 1]

            return list_tools

    session = Newer(Page(tools=[], nextCursor="2"), Page(tools=[described("b")]))
    await mcp_tools(session)
    assert session.asked == [None, "2"]


async def test_a_server_that_repeats_a_cursor_is_asked_no_more():
    session = PagedSession(
        Page(tools=[described("a")], nextCursor="2"),
        Page(tools=[described("b")], nextCursor="2"),
    )
    assert len(await mcp_tools(session)) == 2


async def test_two_tools_of_one_name_are_refused():
    session = PagedSession(Page(tools=[described("a.b"), described("a_b")]))
    with pytest.raises(ValueError, match="two tools"):
        await mcp_tools(session)


async def test_a_failure_without_words_gets_some():
    session = PagedSession(Page(tools=[described("a")]))
    (one,) = await mcp_tools(session, call_timeout=3)
    assert one.timeout == 3
    with pytest.raises(ToolExecutionError, match="says that the tool failed"):
        await one.execute({})
