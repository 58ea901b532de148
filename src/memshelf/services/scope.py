"""Which stores a call may read and which one it writes to. No argument widens what a person allowed."""

from __future__ import annotations

from dataclasses import dataclass, field

from memshelf.domain.kinds import Kind
from memshelf.errors import BadRequest, OutOfScope, ProjectRequired
from memshelf.store.projects import Project, Registry
from memshelf.store.store import Store

EVERY = "*"
USER = "user"


@dataclass(slots=True)
class Scope:
    """The user store, the bound project, and whether the binding is fixed."""

    user: Store
    registry: Registry
    bound: Project | None = None
    pinned: bool = False
    """A person bound the server to `bound` (or, with None, to the user store): other projects are out of scope."""
    wide: bool = False
    """A person allowed `project="*"`."""
    _opened: dict[str, Store] = field(default_factory=dict)

    def project(self, name: str) -> Project:
        """The project a caller named.

        Raises:
            UnknownProject: no such slug.
            OutOfScope: the server is pinned to another.
        """
        if self.bound and name == self.bound.slug:
            return self.bound
        if self.pinned:
            bound = f"project {self.bound.slug!r}" if self.bound else "the user store"
            raise OutOfScope(f"This server is bound to {bound}.", "Leave 'project' out.")
        return self.registry.named(name)

    def opened(self, project: Project) -> Store:
        key = str(project.store)
        if key not in self._opened:
            self._opened[key] = Store(project.store, "project", project.slug)
        return self._opened[key]

    def reading(self, project: str = "") -> list[Store]:
        """The stores a search covers, the project's before the user's.

        "" is the bound project and the user store; a slug that project and the user store; `user` the user store alone;
        `*` all, where a person allowed it.
        """
        name = project.strip()
        if not name:
            return [self.opened(self.bound), self.user] if self.bound else [self.user]
        if name == USER:
            return [self.user]
        if name == EVERY:
            if not self.wide or self.pinned:
                raise OutOfScope(
                    "Searching every project is not allowed here.",
                    "Name one project, or let a person start the server with --all-projects.",
                )
            return [*(self.opened(p) for p in self.registry.all().values()), self.user]
        return [self.opened(self.project(name)), self.user]

    def writing(self, kind: Kind, project: str = "", store: str = "") -> tuple[Store, Project | None]:
        """The store that an entry of this kind goes to, and its project.

        Raises:
            ProjectRequired: the kind lives in a project and there is none.
            BadRequest: the destination contradicts itself or the kind.
        """
        project, store = project.strip(), store.strip()
        if store not in ("", "user", "project"):
            raise BadRequest(
                f"'store' {store!r} is neither 'user' nor 'project'.", "Pass one of the two, or leave it out."
            )
        if project == EVERY:
            raise BadRequest("'project' '*' is no destination.", "Name one project, or leave 'project' out.")
        if project == USER:
            project, store = "", store or "user"
        if project and store == "user":
            raise BadRequest(f"store='user' and project={project!r} name two destinations.", "Pass one of them.")
        if store == "user" or (not project and not store and kind.default == "user"):
            if "user" not in kind.stores:
                raise self._needs_project(kind)
            return self.user, None
        if "project" not in kind.stores:
            if project or store:
                raise BadRequest(
                    f"Kind {kind.name!r} lives in the user store, not in a project.",
                    "Leave 'project' and 'store' out, or choose a project kind.",
                )
            return self.user, None
        target = self.project(project) if project else self.bound
        if target is None:
            if "user" in kind.stores and store != "project":
                return self.user, None
            raise self._needs_project(kind)
        return self.opened(target), target

    def _needs_project(self, kind: Kind) -> ProjectRequired:
        known = ", ".join(self.registry.all()) or "none yet"
        return ProjectRequired(
            f"Kind {kind.name!r} lives in a project's store and no project is named; registered: {known}.",
            "Pass 'project', or call register_project first.",
        )
