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

from memshelf.memory import Memory
from memshelf.server.answers import receipt, tool
from memshelf.server.arguments import Evidence, Project, Reason
from memshelf.server.results import Done
from memshelf.services.review import Question


class Consent(BaseModel):
    """What a person answers to a question that the host shows them."""

    agree: bool = Field(description="Yes, do it")


def register(server: MCPServer[Any], memory: Memory) -> None:
    """Offer the judging tool of one memory."""

    asked: dict[tuple[str, ...], Question] = {}
    """What the person was shown, until they have answered it."""

    def consent(
        context: Context, id: str, action: str, disposition: str = "", text: str = "", project: str = ""
    ) -> Elicit[Consent] | None:
        """The question to the person; None where the action needs none, or the host cannot ask."""
        question = memory.question(action, id, disposition, text, project)
        if question is None or not _can_ask(context):
            return None
        call = (action, id, disposition, text, project)
        if context.request_state is None and context.input_responses is None:
            asked.pop(call, None)  # a new call, not the next round of one: what the last one showed is void
        return Elicit(asked.setdefault(call, question).message, Consent)

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
        question = asked.pop((action, id, disposition, text, project), None)
        return receipt(
            memory.judge(action, id, _agreed(answer), reason=reason, evidence=evidence, disposition=disposition,
                         text=text, project=project, asked=question)
        )  # fmt: skip


def _can_ask(context: Context) -> bool:
    """Whether the host said that it can put a question to the person."""
    elicitation = context.client_capabilities.elicitation if context.client_capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _agreed(answer: Any) -> bool | None:
    """What the person said to the question; None: nobody was asked."""
    if isinstance(answer, AcceptedElicitation):
        return None if answer.data is None else bool(answer.data.agree)
    return False
