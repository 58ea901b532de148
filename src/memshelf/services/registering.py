"""Making a project known: its row in the registry, its store, its link card in the user store."""

from __future__ import annotations

from memshelf.domain.entry import stamp
from memshelf.domain.text import clean_line
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker
from memshelf.format.reader import parse
from memshelf.gate.screen import screen
from memshelf.services.attempt import Step, Words
from memshelf.services.draft import Caller
from memshelf.services.gateway import Gateway
from memshelf.services.receipt import Receipt
from memshelf.store.projects import Project


def register(
    gateway: Gateway, project: Project, caller: Caller, role: str = "", stack: str = "", status: str = ""
) -> Receipt:
    """Bind a slug to its folder on this machine, make both stores, and write or complete the link card.

    The card holds remote, role, stack and status; the folder's path stays in local state.

    Raises:
        BadName, BadRequest: slug or path will not do; SecretFound: a field holds one. Nothing was written.
    """
    scope = gateway.scope
    fields = {"remote": project.remote, "role": role, "stack": stack, "status": status}
    given = {key: clean_line(value, key) for key, value in fields.items() if value}
    screen({key: value for key, value in given.items() if key != "remote"}, "user")
    known = scope.registry.all().get(project.slug)
    project = scope.registry.checked(project.slug, project.root)
    scope.user.create()
    path = f"projects/{project.slug}/README.md"

    def plan(document: Document | None) -> Step:
        data = _card(document, path, project.slug, given, caller)
        card = scope.user.parse(path, data).entries
        return Step("registered", card[0].id if card else "", data)

    card = gateway.commit(scope.user, path, plan, caller, Words())
    bound = scope.registry.register(project.slug, project.root)
    made = scope.opened(bound).create()  # last: a project that has a store is registered and has its card
    wrote = card.etag_before != card.etag_after
    reasons = [f"project {project.slug} is {'known already' if known else 'new'}: {project.root}"]
    if made:
        reasons.append(f"created its store {bound.store}")
    if wrote:
        reasons.append(f"{'completed' if card.etag_before else 'wrote'} its link card {scope.user.address(path)}")
    card.op = "noop" if known and not made and not wrote else "registered"
    card.reasons = [*reasons, *card.reasons]
    return card


def first_write(gateway: Gateway, project: Project, caller: Caller) -> list[str]:
    """Register a project that is written to for the first time; says what was made, nothing where all was there."""
    known = gateway.scope.registry.all().get(project.slug)
    if known and known.root == project.root and project.store.is_dir():
        return []
    return register(gateway, project, caller).reasons


def _card(document: Document | None, path: str, slug: str, given: dict[str, str], caller: Caller) -> bytes:
    at = {"at": stamp(caller.now)}
    if document is None:
        body = "\n".join(f"- {key}: {value}" for key, value in given.items())
        return amend.new_file(slug, body, Marker(caller.new_id(), at), "file", f"user/{path}")
    for key, value in given.items():
        line = f"{key}: {value}"
        if line in document.data.decode("utf-8", "replace"):
            continue
        index = next(
            (i for i, e in enumerate(document.entries) if e.grain == "bullet" and e.text.startswith(f"{key}:")), None
        )
        if index is None:
            data = amend.add(document, line, Marker(caller.new_id(), at))
        else:
            marker = document.markers[index] or Marker(document.entries[index].id, {})
            data = amend.reword(document, index, line, marker.updated(at))
        document = parse(data, document.path, document.grain)
    return document.data
