"""The command line: `previously demo | chat | replay | card | timeline | slice | review | backlog | work | …`."""

from previously.cli.app import main

__all__ = ("main",)
