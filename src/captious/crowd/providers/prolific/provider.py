"""Prolific as a provider: what the contract asks, in requests of its API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from captious.crowd.base import CallRefused, CallUnsure, Provider, ProviderError, register, require_currency
from captious.crowd.money import major, shown
from captious.crowd.providers.prolific import account, fields
from captious.crowd.providers.prolific.client import Client
from captious.crowd.providers.prolific.fields import StudyAction, StudyRecord
from captious.crowd.providers.prolific.wire import SaidNo, Wire, find_token
from captious.crowd.values import (
    Arrival,
    Bonus,
    Completion,
    Outcome,
    Place,
    Quote,
    Refused,
    Remote,
    RemoteStatus,
    Study,
)
from captious.protocols.options import option

OPEN_PLACES = (fields.RESERVED, fields.ACTIVE)


@register("prolific")
@dataclass(frozen=True)
class Prolific(Provider):
    """Studies at prolific.com, paid from the balance of a workspace."""

    workspace: str = option("", "Workspace", "Its id at Prolific; needed only if you have several.")
    project: str = option("", "Project", "Its id at Prolific; if empty, the workspace's first.")
    filters: str = option("", "Filters", "Who may take part: a list of Prolific's filters as JSON.")
    devices: str = option("", "Devices", "desktop, tablet or mobile, separated by commas; if empty, all.")
    fee: float = option(42.8, "Fee in percent", "Your account's fee on rewards and bonuses.", low=0, high=200)
    tax: float = option(0.0, "Tax on the fee in percent", "VAT, if your account pays it.", low=0, high=100)
    screen_out: int = option(
        0,
        "Pay for being screened out",
        "In cents; available to some workspaces only. 0: ask them to return the place.",
    )
    events: bool = option(
        False, "Events", "Prolific notifies this server when the status of a place changes."
    )

    title: ClassVar[str] = "Prolific"
    summary: ClassVar[str] = "a study at prolific.com, paid from your workspace there"
    arrival_parameters: ClassVar[tuple[str, ...]] = (fields.PID, fields.STUDY_ID, fields.SESSION)
    settling: ClassVar[float] = 3600.0  # "The payment will be done in the following minutes"
    message_again: ClassVar[bool] = True

    def ready(self) -> None:
        """The token and httpx are there."""
        Wire(find_token()).close()

    def check(self, study: Study) -> None:
        """Refuse what Prolific would not take."""
        require_currency(study, "GBP", "USD")
        fields.check(study)
        fields.read_filters(self.filters)
        fields.read_devices(self.devices)

    def quote(self, study: Study) -> Quote:
        """Rewards, Prolific's fee and tax; where being screened out is paid, for as many people again."""
        found = self._rewards(study)
        if not self.screen_out:
            return found
        what = f"{study.places} screened out at {shown(self.screen_out, study.currency)}"
        more = self._cost(study, [self.screen_out] * study.places, what)
        reward, fee = found.reward + more.reward, found.fee + more.fee
        return Quote(study.places, reward, fee, study.currency, found.lines + more.lines)

    def _rewards(self, study: Study) -> Quote:
        what = f"{study.places} places at {shown(study.reward, study.currency)}"
        return self._cost(study, [study.reward] * study.places, what)

    def _cost(self, study: Study, amounts: Sequence[int], what: str) -> Quote:
        return fields.cost(amounts, study.currency, fee=self.fee, tax=self.tax, what=what)

    def bonus_quote(self, study: Study, amounts: Sequence[int]) -> Quote:
        """Bonuses carry the same fee as rewards."""
        what = f"{len(amounts)} bonus" + ("" if len(amounts) == 1 else "es")
        return self._cost(study, amounts, what)

    @contextmanager
    def _client(self) -> Iterator[Client]:
        wire = Wire(find_token())
        try:
            yield Client(wire)
        finally:
            wire.close()

    # Studies

    def find(self, key: str) -> Remote | None:
        """The study whose internal name is our key."""
        with self._client() as client:
            found = self._left(client, key)
        return None if found is None else account.remote_of(found)

    def _left(self, client: Client, key: str) -> StudyRecord | None:
        found = client.studies_named(key, self.project)
        return next((one for one in found if one.status != "UNPUBLISHED"), found[0] if found else None)

    def publish(self, study: Study, left: Remote | None = None) -> Remote:
        """A draft under our key, then published; whatever an earlier try has left is finished."""
        with self._client() as client:
            record = client.study(left.id) if left is not None else self._left(client, study.key)
            workspace = account.workspace_of(client, self.workspace)
            if record is None or record.status == "UNPUBLISHED":
                self._require_price(client, study, workspace)
            group = account.blocked_group(client, study, workspace)
            if record is None:
                record = client.create_study(self._draft(study, group))
            elif record.status == "UNPUBLISHED":
                # Published is what was confirmed now, whatever the earlier try was to be.
                record = client.update_study(record.id, self._draft(study, group))
            if record.status == "UNPUBLISHED":
                if self.events:
                    account.subscribe(client, study, workspace)
                record = client.transition(record.id, "PUBLISH")
            return account.remote_of(record, group)

    def _draft(self, study: Study, group: str) -> dict[str, object]:
        return fields.draft(
            study,
            group=group,
            filters=fields.read_filters(self.filters),
            devices=fields.read_devices(self.devices),
            project=self.project,
            screen_out=self.screen_out,
        )

    def _require_price(self, client: Client, study: Study, workspace: str) -> None:
        """Publish nothing that costs more, by the account's own fees and currency, than was confirmed."""
        currency = client.balance(workspace)[1]
        if currency != study.currency:
            raise CallRefused(
                f"currency: your workspace pays in {currency}, not in {study.currency}. "
                f"Use --currency {currency}."
            )
        real, confirmed = client.cost(study.reward, study.places), self._rewards(study).total
        if real > confirmed:
            told = shown(real, study.currency), shown(confirmed, study.currency)
            raise CallRefused(
                f"With your account's fees Prolific charges {told[0]}, but the estimate was {told[1]}. "
                "Nothing was published. Set your account's fee and tax, then check the estimate again."
            )

    def status(self, study: Study, remote: Remote) -> RemoteStatus:
        """State, places, how many are in which state, and what was spent."""
        with self._client() as client:
            record, spent = client.study(remote.id), client.spent(remote.id)
            counts = account.counted(client.counts(remote.id))
        return RemoteStatus(account.study_state(record.status), record.places, counts, spent)

    def extend(self, study: Study, remote: Remote, key: str) -> Remote:
        """More places; Prolific takes a total, so that a second request changes nothing."""
        with self._client() as client:
            if client.study(remote.id).places < study.places:
                client.update_study(remote.id, {"total_available_places": study.places})
        return remote

    def pause(self, study: Study, remote: Remote) -> Remote:
        """Nobody else begins."""
        return self._turn(remote, "PAUSE", done=("PAUSED", "COMPLETED"))

    def resume(self, study: Study, remote: Remote) -> Remote:
        """Participants begin again."""
        return self._turn(remote, "START", done=("ACTIVE", "PUBLISHING", "AWAITING REVIEW"))

    def close(self, study: Study, remote: Remote) -> Remote:
        """No new participants for good; the subscription to its events ends too."""
        if self.events:
            with self._client() as client:
                account.unsubscribe(client, study, account.workspace_of(client, self.workspace))
        return self._turn(remote, "STOP", done=("COMPLETED", "UNPUBLISHED"))

    def _turn(self, remote: Remote, action: StudyAction, done: Sequence[str]) -> Remote:
        with self._client() as client:
            status = client.study(remote.id).status
            if status not in done:
                try:
                    client.transition(remote.id, action)
                except SaidNo:
                    # Every place is taken: nobody begins, and the API knows no way to stop it.
                    if status != "AWAITING REVIEW":
                        raise
        return remote

    # Participants

    def places(self, study: Study, remote: Remote) -> list[Place]:
        """Every submission, the oldest first."""
        with self._client() as client:
            return [account.place_of(one) for one in client.submissions(remote.id)]

    def verify(self, study: Study, remote: Remote, parameters: Mapping[str, str]) -> Arrival | Refused:
        """The session must be a submission of this study by this participant, and not be over."""
        if not all(parameters.get(name) for name in self.arrival_parameters):
            return Refused("missing")
        named = tuple(parameters[name] for name in (fields.STUDY_ID, fields.PID))
        try:
            with self._client() as client:
                found = client.submission(parameters[fields.SESSION])
        except ProviderError:
            return Refused("unreachable")
        if found is None or named != (remote.id, found.participant) or found.study != remote.id:
            return Refused("forged")
        return Arrival(found.participant, found.id) if found.status in OPEN_PLACES else Refused("over")

    def completion(self, study: Study, remote: Remote, arrival: Arrival, outcome: Outcome) -> Completion:
        """Back to Prolific with the code of the outcome."""
        code = study.codes[outcome]
        return Completion(code=code, address=f"{fields.COMPLETE}?cc={code}")

    def exclude(self, study: Study, remote: Remote, participants: Sequence[str]) -> Remote:
        """Into the group that the study is not shown to; Prolific ignores who is in it."""
        with self._client() as client:
            group = str(remote.detail.get("group") or "")
            if not group:
                workspace = account.workspace_of(client, self.workspace)
                group = account.blocked_group(client, study, workspace)
            if participants:
                client.add_members(group, list(dict.fromkeys(participants)))
        return Remote(remote.id, remote.address, {**remote.detail, "group": group})

    def message(self, study: Study, remote: Remote, participants: Sequence[str], text: str) -> None:
        """Write to each who has not had this message about this study yet."""
        with self._client() as client:
            for participant in participants:
                had = client.messages(participant)
                if not any(_same(one, remote.id, text) for one in had):
                    client.send_message(remote.id, participant, text)

    # Payment

    def approve(self, study: Study, remote: Remote, place: Place) -> None:
        """Accept and pay; Prolific ignores a second request."""
        with self._client() as client:
            client.approve(place.id)

    def reject(self, study: Study, remote: Remote, place: Place, reason: str) -> None:
        """Refuse with a reason of 100 characters or more, as Prolific wants."""
        if len(reason) < fields.SHORTEST_REJECTION:
            raise CallRefused(
                f"reason: {len(reason)} characters. Prolific requires at least {fields.SHORTEST_REJECTION}: "
                "say what was asked and what was wrong."
            )
        with self._client() as client:
            found = client.submission(place.id)
            failed = found is not None and found.code == study.codes.get("failed")
            client.reject(place.id, "FAILED_CHECK" if failed else "OTHER", reason)

    def bonus(self, study: Study, remote: Remote, place: Place, amount: int, reason: str, key: str) -> None:
        """Set the bonus up, see that it costs what was reckoned, and pay it, once."""
        with self._client() as client:
            try:
                payment, real = client.set_up_bonuses(
                    remote.id, {place.id: str(major(amount, study.currency))}
                )
            except CallUnsure:
                # What is set up and never paid costs nothing.
                raise CallRefused(
                    "Prolific gave no clear answer. No bonus was paid: run the command again."
                ) from None
            confirmed = self.bonus_quote(study, [amount]).total
            if real > confirmed:
                told = shown(real, study.currency), shown(confirmed, study.currency)
                raise CallRefused(f"The bonus would cost {told[0]}, not {told[1]}: it was not paid.")
            client.pay_bonuses(payment)
            if reason:
                self._explain(client, remote, place, reason)

    def _explain(self, client: Client, remote: Remote, place: Place, reason: str) -> None:
        """Tell the participant what the bonus is for; it is paid, told or not."""
        try:
            client.send_message(remote.id, place.participant, reason)
        except ProviderError:
            return

    def bonuses(self, study: Study, remote: Remote) -> list[Bonus]:
        """The bonuses that show on submissions; Prolific lists them one submission at a time."""
        with self._client() as client:
            found = (client.submission(one.id) for one in client.submissions(remote.id))
            return [Bonus(one.id, amount) for one in found if one is not None for amount in one.bonuses]

    # Events

    def heard(
        self, study: Study, remote: Remote, headers: Mapping[str, str], body: bytes, now: float
    ) -> str | None:
        """The submission that a signed event speaks of."""
        if not account.is_timely(headers, now):
            return None
        with self._client() as client:
            secrets = _SECRETS.of(
                f"{client.wire.address} {self.workspace}",
                lambda: client.hook_secrets(account.workspace_of(client, self.workspace)),
                now,
            )
        return account.submission_named(body) if account.is_signed(headers, body, secrets, now) else None


_SECRETS = account.Secrets()


def _same(message: Mapping[str, object], study: str, text: str) -> bool:
    about = message.get("data")
    return message.get("body") == text and isinstance(about, Mapping) and about.get("study_id") == study
