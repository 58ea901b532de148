"""Making a project known: its row in the registry, its store, its link card in the user store."""

from __future__ import annotations

from memshelf.domain.entry import stamp
from memshelf.domain.kinds import load
from memshelf.domain.text import clean_line
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker
from memshelf.format.reader import parse
from memshelf.services.draft import Caller
from memshelf.services.receipt import Receipt
from memshelf.services.scope import Scope
from memshelf.store.files import etag
from memshelf.store.projects import Project


def register(
    scope: Scope, project: Project, caller: Caller, role: str = "", stack: str = "", status: str = ""
) -> Receipt:
    """Bind a slug to its folder on this machine, make both stores, and write or complete the link card.

    The card holds remote, role, stack and status; the folder's path stays in local state.

    Raises:
        BadName, BadRequest: slug or path will not do; nothing was written.
    """
    fields = {"remote": project.remote, "role": role, "stack": stack, "status": status}
    given = {key: clean_line(value, key) for key, value in fields.items() if value}
    known = scope.registry.all().get(project.slug)
    bound = scope.registry.register(project.slug, project.root)
    scope.user.create()
    made = scope.opened(bound).create()
    path = f"projects/{project.slug}/README.md"
    with scope.user.writing():
        edited = scope.user.edit(path, lambda document: _card(document, path, project.slug, given, caller))
    document = scope.user.parse(path, edited.after or b"")
    card = document.entries[0].id if document.entries else ""
    reasons = [f"project {project.slug} is {'known already' if known else 'new'}: {project.root}"]
    if made:
        reasons.append(f"created its store {bound.store}")
    if edited.before != edited.after:
        reasons.append(f"{'wrote' if edited.before is None else 'completed'} its link card {scope.user.address(path)}")
    return Receipt(
        "noop" if known and not made and edited.before == edited.after else "registered",
        card, scope.user.address(path, card), "project", load()["project"].drawer, scope.user.address(path),
        etag(edited.before) if edited.before else "", etag(edited.after or b""), reasons,
    )  # fmt: skip


def first_write(scope: Scope, project: Project, caller: Caller) -> list[str]:
    """Register a project that is written to for the first time; says what was made, nothing where all was there."""
    known = scope.registry.all().get(project.slug)
    if known and project.store.is_dir() and project.registered:
        return []
    return register(scope, project, caller).reasons


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
