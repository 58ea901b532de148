"""The tool that judges: what an agent may say by itself, and what a person is asked through the host.

Annotations are evaluated here, not kept as text: the one of the answer names a function that belongs to one memory.
"""

from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memshelf.errors import NeedsPerson
from memshelf.memory import Memory
from memshelf.server.answers import receipt, tool
from memshelf.server.arguments import Evidence, Project, Reason
from memshelf.server.results import Done


class Consent(BaseModel):
    """What a person answers to a question that the host shows them."""

    agree: bool = Field(description="Yes, do it")


def register(server: MCPServer[Any], memory: Memory) -> None:
    """Offer the judging tool of one memory."""

    def consent(
        context: Context, id: str, action: str, disposition: str = "", text: str = "", project: str = ""
    ) -> Elicit[Consent] | None:
        """The question to the person; None where the action needs none, or the host cannot ask."""
        question = memory.question(action, id, disposition, text, project)
        return Elicit(question, Consent) if question and _can_ask(context) else None

    @tool(server, "Review memory", destroys=True)
    def review_memory(
        id: Annotated[str, Field(description="Id or address; to lift: the key of the rejected value")],
        action: Annotated[
            Literal["confirm", "reject", "resolve", "lift", "verify"],
            Field(description="confirm, resolve and lift ask the person; reject: wrong for good; verify: by evidence"),
        ],
        reason: Reason = "",
        evidence: Evidence = "",
        disposition: Annotated[
            str, Field(description="resolve: keep-this, keep-other, keep-both, retract-both, new-text")
        ] = "",
        text: Annotated[str, Field(description="With new-text: what stands for both")] = "",
        project: Project = "",
        answer: Annotated[ElicitationResult[Consent], Resolve(consent)] = None,  # type: ignore[assignment] filled by the SDK
    ) -> Annotated[CallToolResult, Done]:
        """Judge one entry. What needs a person asks through the host, and is refused where it cannot ask."""
        caller = memory.caller
        if memory.question(action, id, disposition, text, project):
            caller = memory.person() if _agreed(answer) else caller
        return receipt(
            memory.judge(action, id, caller, reason=reason, evidence=evidence, disposition=disposition, text=text,
                         project=project)
        )  # fmt: skip


def _can_ask(context: Context) -> bool:
    """Whether the host said that it can put a question to the person."""
    elicitation = context.client_capabilities.elicitation if context.client_capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _agreed(answer: Any) -> bool:
    """Whether a person was asked and said yes.

    Raises:
        NeedsPerson: they were asked and said no.
    """
    if isinstance(answer, AcceptedElicitation) and answer.data is None:
        return False  # nobody was asked
    if isinstance(answer, AcceptedElicitation) and answer.data.agree:
        return True
    raise NeedsPerson("The person was asked and did not agree.", "Do not ask again unless they bring it up.")
