"""The bodies and queries that the documented requests take: anything else is refused."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

ObjectId = Annotated[str, Field(pattern=r"^[0-9a-f]{24}$")]
Whole = Annotated[int, Field(gt=0)]
Text = Annotated[str, Field(min_length=1)]


def _https(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "https" or parts.hostname in (None, "localhost", "127.0.0.1"):
        raise ValueError("must use https:// and be publicly accessible")
    return address


def _whole_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("Enter a valid URL.")
    return address


class Body(BaseModel):
    """Types as written, no field beyond the documented."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Simple(Body):
    action: Literal["AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "DYNAMIC_PAYMENT"]


class Grouped(Body):
    action: Literal["ADD_TO_PARTICIPANT_GROUP", "REMOVE_FROM_PARTICIPANT_GROUP"]
    participant_group: ObjectId


class RequestReturn(Body):
    action: Literal["REQUEST_RETURN"]
    return_reason: Text


class ScreenOut(Body):
    action: Literal["FIXED_SCREEN_OUT_PAYMENT"]
    fixed_screen_out_reward: Whole
    slots: Whole


class CompletionCode(Body):
    code: Text
    code_type: Text
    actions: list[Annotated[Simple | Grouped | RequestReturn | ScreenOut, Field(discriminator="action")]]
    actor: Literal["participant", "researcher"] = "participant"

    @model_validator(mode="after")
    def _together(self) -> "CompletionCode":
        names = {one.action for one in self.actions}
        if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= names:
            raise ValueError("some actions can't be used together")
        return self


class SelectFilter(Body):
    filter_id: Text
    selected_values: list[str]
    weightings: dict[str, float] | None = None


class RangeFilter(Body):
    filter_id: Text
    selected_range: dict[Literal["lower", "upper"], Any]


class SubmissionsConfig(Body):
    max_submissions_per_participant: int | None = 1
    max_concurrent_submissions: int | None = -1
    auto_rejection_categories: list[Literal["EXCEPTIONALLY_FAST"]] = []


class StudyFields(Body):
    """What may be changed of a draft."""

    name: Text | None = None
    internal_name: str | None = None
    description: Text | None = None
    external_study_url: Annotated[str, AfterValidator(_whole_address)] | None = None
    prolific_id_option: Literal["question", "url_parameters", "not_required"] | None = None
    completion_codes: list[CompletionCode] | None = None
    total_available_places: Whole | None = None
    estimated_completion_time: Whole | None = None
    maximum_allowed_time: Whole | None = None
    reward: Whole | None = None
    device_compatibility: list[Literal["desktop", "tablet", "mobile"]] | None = None
    peripheral_requirements: list[Literal["audio", "camera", "download", "microphone"]] | None = None
    filters: list[SelectFilter | RangeFilter] | None = None
    filter_set_id: ObjectId | None = None
    naivety_distribution_rate: float | None = None
    project: ObjectId | None = None
    submissions_config: SubmissionsConfig | None = None
    study_labels: list[Literal["survey", "annotation", "ai_annotation", "ai_evaluation", "other"]] | None = (
        None
    )
    content_warnings: list[Literal["sensitive", "explicit"]] | None = None
    content_warning_details: str | None = None
    metadata: str | None = None

    @model_validator(mode="after")
    def _sound(self) -> "StudyFields":
        codes = [one.code for one in self.completion_codes or []]
        if len(set(codes)) < len(codes):
            raise ValueError("completion_codes: each code must be unique within a study")
        if self.maximum_allowed_time is not None and self.estimated_completion_time is not None:
            minutes = self.estimated_completion_time
            least = 2 + 2 * minutes + 2 * minutes**0.5
            if self.maximum_allowed_time < least:
                raise ValueError(f"maximum_allowed_time: the min value is {least:.1f}")
        return self


REQUIRED = (
    "name",
    "description",
    "external_study_url",
    "prolific_id_option",
    "total_available_places",
    "estimated_completion_time",
    "reward",
    "completion_codes",
)


class CreateStudy(StudyFields):
    @model_validator(mode="after")
    def _whole(self) -> "CreateStudy":
        missing = [name for name in REQUIRED if not getattr(self, name)]
        if missing:
            raise ValueError(f"{', '.join(missing)}: this field is required")
        return self


class PublishedStudy(Body):
    """What may be changed of a published study."""

    internal_name: str | None = None
    total_available_places: Whole | None = None
    submissions_config: SubmissionsConfig | None = None


class StudyTransition(Body):
    action: Literal["PUBLISH", "SCHEDULE_PUBLISH", "CANCEL_PUBLISH", "PAUSE", "START", "STOP"]
    publish_at: str | None = None


class Cost(Body):
    reward: Whole
    total_available_places: Whole


class Approve(Body):
    action: Literal["APPROVE"]


class Reject(Body):
    action: Literal["REJECT"]
    message: Annotated[str, Field(min_length=100)]
    rejection_category: Literal[
        "TOO_QUICKLY",
        "TOO_SLOWLY",
        "FAILED_INSTRUCTIONS",
        "INCOMP_LONGITUDINAL",
        "FAILED_CHECK",
        "LOW_EFFORT",
        "MALINGERING",
        "NO_CODE",
        "BAD_CODE",
        "NO_DATA",
        "UNSUPP_DEVICE",
        "OTHER",
    ]


SubmissionTransition: TypeAdapter[Approve | Reject] = TypeAdapter(
    Annotated[Approve | Reject, Field(discriminator="action")]
)


class Bonuses(Body):
    study_id: ObjectId
    csv_bonuses: Text


class Group(Body):
    workspace_id: ObjectId
    name: Text
    description: str | None = None
    participant_ids: list[ObjectId] = []


class Participants(Body):
    participant_ids: list[ObjectId]


class Message(Body):
    recipient_id: ObjectId
    body: Text
    study_id: ObjectId


class Secret(Body):
    workspace_id: ObjectId


class Subscription(Body):
    workspace_id: ObjectId
    event_type: Literal["study.status.change", "study.progress.change", "submission.status.change"]
    target_url: Annotated[str, AfterValidator(_https)]


class Confirmation(Body):
    secret: Text
