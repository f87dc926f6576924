"""The graphs as LangGraph's own server loads them: `langgraph.json` names the variables below.

Importing this module opens the memory that the environment configures (see `load_config`), once for the process, before
the server's loop runs.
"""

from __future__ import annotations

from previously.config import load_config, open_model
from previously.memory import Previously

memory = Previously()
"""The memory of this server process."""
host = memory.host_graph(open_model(load_config().model))
"""The host graph around the configured model, without tools."""
housekeeping = memory.housekeeping
"""The memory work of one turn, or of one owed job."""
intake = memory.intake
"""Messages with their replies, taken in without an agent."""
