"""Every way memshelf says no. One class a cause; each carries what happened and what to call instead.

The codes are stable and listed in abi/MCP.md. Callers branch on the class or on its family, never on the words.
"""

from __future__ import annotations

from typing import Any, ClassVar


class MemshelfError(Exception):
    """A refusal or a failure that was foreseen; `str()` is `CODE: what happened. What to do instead.`"""

    code: ClassVar[str] = "UNEXPECTED"

    def __init__(self, what: str, remedy: str = "", **data: Any) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy
        self.data = data

    def __str__(self) -> str:
        return f"{self.code}: {self.what} {self.remedy}".rstrip()


class Refused(MemshelfError):
    """The request breaks a rule; nothing was written and asking again unchanged will be refused again."""


class StoreTrouble(MemshelfError):
    """The disk did not do its part; nothing was half written and the same request may pass later."""


class BadRequest(Refused):
    code = "BAD_REQUEST"


class UnknownKind(Refused):
    code = "UNKNOWN_KIND"


class UnknownProject(Refused):
    code = "UNKNOWN_PROJECT"


class ProjectRequired(Refused):
    code = "PROJECT_REQUIRED"


class BadName(Refused):
    code = "BAD_NAME"


class EmptyText(Refused):
    code = "EMPTY_TEXT"


class NotFound(Refused):
    code = "NOT_FOUND"


class ReviseInstead(Refused):
    code = "REVISE_INSTEAD"


class Frozen(Refused):
    code = "FROZEN"


class PreviouslyRejected(Refused):
    code = "PREVIOUSLY_REJECTED"


class SecretFound(Refused):
    code = "SECRET_FOUND"


class TranscriptFound(Refused):
    code = "TRANSCRIPT_FOUND"


class LessonMissing(Refused):
    code = "LESSON_MISSING"


class EvidenceMissing(Refused):
    code = "EVIDENCE_MISSING"


class NeedsPerson(Refused):
    code = "NEEDS_PERSON"


class CapReached(Refused):
    code = "CAP_REACHED"


class ChangedUnderneath(Refused):
    code = "CHANGED_UNDERNEATH"


class Contradiction(Refused):
    code = "CONTRADICTION"


class OutOfScope(Refused):
    code = "OUT_OF_SCOPE"


class Unreadable(StoreTrouble):
    code = "UNREADABLE"


class LockTimeout(StoreTrouble):
    code = "LOCK_TIMEOUT"


class StoreFull(StoreTrouble):
    code = "STORE_FULL"


class ReadOnly(StoreTrouble):
    code = "READ_ONLY"
