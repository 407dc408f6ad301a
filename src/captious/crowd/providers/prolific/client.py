"""Prolific's REST API, version 1, as documented at docs.prolific.com/api-reference.

One method for each request that captious makes, with the documented names of fields. Nothing is
decided here: what is asked, when, and whether it may be asked again is the provider's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from captious.crowd.providers.prolific.fields import (
    MOST_BONUSES,
    RejectionCategory,
    StudyAction,
    StudyRecord,
    Submission,
    study_of,
    submission_of,
)
from captious.crowd.providers.prolific.wire import NOT_FOUND, SaidNo, Wire
from captious.errors import InputError

NO_SUCH_ID = (400, NOT_FOUND)


class Client:
    """The requests. Reads are repeated by the wire; each change is sent once."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    def account(self) -> dict[str, Any]:
        """Whose token this is: `id`, `email`, `currency_code`."""
        return dict(self.wire.get("users/me/"))

    def workspaces(self) -> list[dict[str, Any]]:
        """The workspaces of the account: `id`, `title`."""
        return self.wire.pages("workspaces/", "offset")

    def projects(self, workspace: str) -> list[dict[str, Any]]:
        """The projects of a workspace: `id`, `title`."""
        return self.wire.pages(f"workspaces/{workspace}/projects/", "offset")

    def balance(self, workspace: str) -> tuple[int, str]:
        """What can still be spent, in minor units, and its currency."""
        found = self.wire.get(f"workspaces/{workspace}/balance/")
        return int(found["available_balance"]), str(found["currency_code"])

    # Studies

    def cost(self, reward: int, places: int) -> int:
        """What a study would cost with this account's fees and VAT, in minor units.

        A calculation: it changes nothing, though the API has it as POST.
        """
        body = {"reward": reward, "total_available_places": places}
        return round(float(self.wire.send("POST", "study-cost-calculator/", body)["total_cost"]))

    def create_study(self, fields: Mapping[str, Any]) -> StudyRecord:
        """A draft; nobody sees it and nothing is charged until it is published."""
        return study_of(self.wire.send("POST", "studies/", fields))

    def study(self, study: str) -> StudyRecord:
        """A study by its id."""
        return study_of(self.wire.get(f"studies/{study}/"))

    def studies_named(self, internal_name: str, project: str = "") -> list[StudyRecord]:
        """Every study with this internal name, in a project or in all of them."""
        if project:
            listed = self.wire.pages(f"projects/{project}/studies/")
        else:
            listed = self.wire.pages("studies/", "page only")
        found = (study_of(one) for one in listed)
        return [one for one in found if one.internal_name == internal_name]

    def update_study(self, study: str, fields: Mapping[str, Any]) -> StudyRecord:
        """Change fields: any of a draft; places (only upwards) and internal name once published."""
        return study_of(self.wire.send("PATCH", f"studies/{study}/", fields))

    def transition(self, study: str, action: StudyAction) -> StudyRecord:
        """Publish, pause, start again or stop."""
        return study_of(self.wire.send("POST", f"studies/{study}/transition/", {"action": action}))

    def spent(self, study: str) -> int:
        """What a study has cost so far with bonuses, fees and tax, in minor units."""
        found = self.wire.get(f"studies/{study}/cost/")
        kinds = [found.get(kind) or {} for kind in ("rewards", "bonuses")]
        parts = [kind.get(part) or {} for kind in kinds for part in ("rewards", "fees", "tax")]
        return round(sum(float(part.get("amount") or 0) for part in parts))

    def counts(self, study: str) -> dict[str, int]:
        """How many submissions of a study have each status, and `TOTAL`."""
        found = self.wire.get(f"studies/{study}/submissions/counts/")
        return {name: int(number) for name, number in found.items()}

    # Submissions

    def submissions(self, study: str) -> list[Submission]:
        """Every submission of a study, the oldest first; bonuses are not in this list."""
        least = self.counts(study).get("TOTAL", 0)
        # Later ones come at the end, so that pages do not shift while they are read.
        found = self.wire.pages("submissions/", least=least, study=study, ordering="started_at")
        return [submission_of(one, study) for one in found]

    def submission(self, submission: str) -> Submission | None:
        """A submission with its bonuses, None where Prolific knows none of that id."""
        # The id may come from an address that anybody can write.
        if not (submission.isascii() and submission.isalnum()):
            return None
        try:
            return submission_of(self.wire.get(f"submissions/{submission}/"))
        except SaidNo as refused:
            if refused.status in NO_SUCH_ID:
                return None
            raise

    def approve(self, submission: str) -> Submission:
        """Accept and pay; Prolific ignores a second request."""
        return submission_of(self._submission_transition(submission, {"action": "APPROVE"}))

    def reject(self, submission: str, category: RejectionCategory, message: str) -> Submission:
        """Refuse with a message of 100 characters or more; Prolific ignores a second request."""
        body = {"action": "REJECT", "rejection_category": category, "message": message}
        return submission_of(self._submission_transition(submission, body))

    def _submission_transition(self, submission: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.wire.send("POST", f"submissions/{submission}/transition/", body)
        return found

    # Bonuses

    def set_up_bonuses(self, study: str, amounts: Mapping[str, str]) -> tuple[str, int]:
        """Prepare bonuses for submissions; pays nothing. The id to pay by, and the total with fees.

        Amounts are decimal numbers of the currency: "1.50" is one pound fifty, "30" is thirty pounds.
        """
        _require_at_most(len(amounts), MOST_BONUSES, "bonuses")
        lines = "\n".join(f"{submission},{amount}" for submission, amount in amounts.items())
        body = {"study_id": study, "csv_bonuses": lines}
        found = self.wire.send("POST", "submissions/bonus-payments/", body)
        return str(found["id"]), round(float(found["total_amount"]))

    def pay_bonuses(self, payment: str) -> None:
        """Pay prepared bonuses within minutes. Not idempotent: each request pays again."""
        self.wire.send("POST", f"bulk-bonus-payments/{payment}/pay/")

    # Groups of participants

    def groups(self, workspace: str) -> list[dict[str, Any]]:
        """The participant groups of a workspace: `id`, `name`."""
        return self.wire.pages("participant-groups/", "offset", workspace_id=workspace)

    def create_group(self, workspace: str, name: str, description: str) -> str:
        """A group without members, and its id."""
        body = {"workspace_id": workspace, "name": name, "description": description}
        return str(self.wire.send("POST", "participant-groups/", body)["id"])

    def members(self, group: str) -> list[str]:
        """Who is in a group."""
        found = self.wire.get(f"participant-groups/{group}/participants/")
        return [str(one["participant_id"]) for one in found["results"]]

    def add_members(self, group: str, participants: Sequence[str]) -> None:
        """Put participants in a group; Prolific ignores those who are in it."""
        path = f"participant-groups/{group}/participants/"
        self.wire.send("POST", path, {"participant_ids": list(participants)})

    # Messages

    def messages(self, user: str) -> list[dict[str, Any]]:
        """What was written between us and a participant: `sender_id`, `body`, `data.study_id`."""
        return list(self.wire.get("messages/", user_id=user)["results"])

    def send_message(self, study: str, participant: str, text: str) -> None:
        """Write to one participant about a study."""
        self.wire.send("POST", "messages/", {"recipient_id": participant, "study_id": study, "body": text})

    # Hooks

    def hook_secrets(self, workspace: str) -> list[str]:
        """What the events of a workspace are signed with."""
        found = self.wire.get("hooks/secrets/", workspace_id=workspace)
        return [str(one["value"]) for one in found["results"]]

    def create_hook_secret(self, workspace: str) -> None:
        """Make a signing secret; it replaces the one that the workspace has."""
        self.wire.send("POST", "hooks/secrets/", {"workspace_id": workspace})

    def hooks(self, workspace: str) -> list[dict[str, Any]]:
        """The enabled subscriptions of a workspace: `id`, `event_type`, `target_url`."""
        return self.wire.pages("hooks/subscriptions/", "offset", workspace_id=workspace)

    def subscribe(self, workspace: str, event: str, target: str) -> str:
        """Have an event sent to our address: ask, and confirm with what the answer's header says."""
        body = {"workspace_id": workspace, "event_type": event, "target_url": target}
        found, headers = self.wire.send_with_headers("POST", "hooks/subscriptions/", body)
        # The reference shows a list in answer, the guide the subscription itself.
        hook = str((found.get("results") or [found])[0]["id"])
        self.wire.send("POST", f"hooks/subscriptions/{hook}/", {"secret": headers["X-Hook-Secret"]})
        return hook

    def unsubscribe(self, hook: str) -> None:
        """End a subscription."""
        self.wire.send("DELETE", f"hooks/subscriptions/{hook}/")


def _require_at_most(count: int, most: int, what: str) -> None:
    if not 1 <= count <= most:
        raise InputError(f"{what}: {count} in one request to Prolific. Allowed: 1 to {most:,}.")
