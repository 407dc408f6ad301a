from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from captious.campaigns.records import Settings
from captious.campaigns.setup import create
from captious.campaigns.store import images, log
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError

CORPUS = Corpus.from_lists(
    ["A dog.", "A cat.", "The dog.", "The cat."],
    [["Dog.", "Our dog."], ["Cat.", "Our cat."]] * 2,
    image_ids=["1", "2", "1", "2"],
    systems=["m", "m", "n", "n"],
)
YAML = "name: helpfulness\nkind: likert\nquestions: [{aspect: helpful, ask: Does it help}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "pictures"
    found.mkdir()
    for name in ("1.jpg", "2.png"):
        Image.new("RGB", (8, 6), "teal").save(found / name)
    return found


def test_a_draft_is_made_without_a_database(folder: Path) -> None:
    made = create.draft("thumb", CORPUS, title="Dogs & cats", images=folder, seed=3)
    assert (made.slug, made.protocol, made.seed) == ("dogs-cats", "thumb", 3)
    assert made.items == made.rules().items(CORPUS, seed=3)
    assert {key: path.name for key, path in made.images.items()} == {"1": "1.jpg", "2": "2.png"}


def test_a_preview_mixes_the_kinds() -> None:
    made = create.draft("humanr", CORPUS, title="Pairs")
    kinds = {item.balance for item in create.preview(made, 4)}
    assert kinds == {"m", "n", "human-human", "check"}
    assert len(create.preview(made, 1000)) == len(made.items)


def test_creation_stores_everything(db: Database, folder: Path) -> None:
    made = create.draft(
        "tagging",
        CORPUS,
        title="Dogs",
        images=folder,
        options={"raters": 3},
        seed=5,
        settings=Settings(hold_seconds=60),
    )
    gold = {made.items[0].key: {"verdict": "complete"}}
    made = create.draft(
        "tagging",
        CORPUS,
        title="Dogs",
        images=folder,
        options={"raters": 3},
        seed=5,
        settings=Settings(hold_seconds=60),
        gold=gold,
    )
    campaign = create.create(db, made, actor="lea")
    assert (campaign.state, campaign.seed, campaign.options) == ("draft", 5, {"raters": 3})
    assert campaign.settings.hold_seconds == 60
    assert campaign.rules() == made.rules()
    assert responses.items(db, campaign) == made.items
    digest = images.digest_of(db, campaign, "1")
    assert digest is not None
    path, kind = images.image_file(db, campaign, digest)
    assert (path.is_file(), kind) == (True, "image/jpeg")
    (entry,) = log.entries(db, campaign)
    assert entry.detail == {"protocol": "tagging", "items": 4, "images": 2}


def test_a_generic_protocol_comes_as_path_name_or_text(db: Database, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(YAML)
    drafts = [
        create.draft("generic", CORPUS, title="One", protocol_file=path),
        create.draft("generic", CORPUS, title="Two", protocol_file=YAML),
        create.draft(str(path), CORPUS, title="Three"),
    ]
    for made in drafts:
        campaign = create.create(db, made, actor="lea")
        assert campaign.protocol == "generic"
        assert campaign.protocol_file == YAML
        assert campaign.rules().guide() == drafts[0].rules().guide()
        assert responses.items(db, campaign)[0].form.fields[0].name == "helpful"


def test_a_text_is_never_opened_as_a_file(db: Database, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(YAML)
    with pytest.raises(InputError):
        create.draft("generic", CORPUS, title="One", protocol_file=str(path))


def test_a_slug_is_used_once(db: Database) -> None:
    create.create(db, create.draft("tagging", CORPUS, title="Dogs"), actor="lea")
    with pytest.raises(InputError, match='"dogs" is the name of another campaign'):
        create.create(db, create.draft("tagging", CORPUS, title="Dogs!"), actor="lea")
    create.create(db, create.draft("tagging", CORPUS, title="Dogs", slug="dogs-2"), actor="lea")


@pytest.mark.parametrize("slug", ["Dogs", "a b", "../x", "a--b", "-a", "x" * 61, "a/b", "ä"])
def test_a_bad_slug_is_one_line(slug: str) -> None:
    with pytest.raises(InputError, match="slug"):
        create.draft("tagging", CORPUS, title="Dogs", slug=slug)


@pytest.mark.parametrize("title", ["", "  ", "x" * 201, "a\x00b", "\ud800"])
def test_a_bad_title_is_one_line(title: str) -> None:
    with pytest.raises(InputError, match="title"):
        create.draft("tagging", CORPUS, title=title, slug="dogs")


def test_missing_images_are_named(folder: Path) -> None:
    (folder / "2.png").unlink()
    with pytest.raises(InputError, match='1 of 2 have no file, for example "2"'):
        create.draft("tagging", CORPUS, title="Dogs", images=folder)
    with pytest.raises(InputError, match="1 of 2 have no file"):
        create.draft("tagging", CORPUS, title="Dogs", images={"1": folder / "1.jpg"})


def test_a_bad_image_stores_no_campaign(db: Database, folder: Path) -> None:
    (folder / "2.png").write_text("<script>alert(1)</script>")
    made = create.draft("tagging", CORPUS, title="Dogs", images=folder)
    with pytest.raises(InputError, match='image "2": this is not a readable image'):
        create.create(db, made, actor="lea")
    assert log.entries(db) == []


def test_wrong_names_are_one_line() -> None:
    with pytest.raises(UnknownNameError, match="protocol"):
        create.draft("thum", CORPUS, title="Dogs")
    with pytest.raises(UnknownNameError, match="option of tagging"):
        create.draft("tagging", CORPUS, title="Dogs", options={"rater": 3})
    with pytest.raises(InputError, match=r"protocol's file .* is missing"):
        create.draft("generic", CORPUS, title="Dogs")
    with pytest.raises(UnknownNameError, match="gold item"):
        create.draft("tagging", CORPUS, title="Dogs", gold={"no such": {}})
    key = create.draft("tagging", CORPUS, title="Dogs").items[0].key
    with pytest.raises(UnknownNameError, match="question of gold item"):
        create.draft("tagging", CORPUS, title="Dogs", gold={key: {"precision": 5}})
