"""Where things stand on a rater's page, by their boxes: the caption in sight, nothing under the bar."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
NEAR = 3  # pixels


def box(page, selector: str) -> dict[str, float]:
    found = page.locator(selector).first.bounding_box()
    assert found is not None, selector
    return found


def bottom(found: dict[str, float]) -> float:
    return found["y"] + found["height"]


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("protocol", ["thumb", "humanr", "tagging", "audit"])
def test_image_and_caption_stay_in_sight_and_nothing_hides(chromium, served, protocol, size) -> None:
    context = chromium.new_context(viewport=size, has_touch=size is PHONE, reduced_motion="reduce")
    page = served.enter(context, protocol)
    for at in range(page.locator("[data-question]:not([hidden])").count()):
        question = page.locator("[data-question]:not([hidden])").nth(at)
        question.evaluate("one => window.captious.focusQuestion(one)")
        place = question.bounding_box()
        image, bar = box(page, ".picture img"), box(page, ".actions.sticky")
        about = "xpath=ancestor::fieldset[contains(@class, 'caption-card')]//p[@class='caption-text']"
        own = question.locator(about)
        captions = (
            [own.bounding_box()]
            if own.count()
            else [one.bounding_box() for one in page.locator(".caption-text").all()]
        )
        assert place["y"] + place["height"] <= bar["y"] + NEAR, f"question {at} is under the bar"
        assert 0 <= image["y"] <= bar["y"]
        for caption in captions:
            assert caption["y"] >= (bottom(image) if size is PHONE else box(page, ".top")["height"]) - NEAR
            assert bottom(caption) <= bar["y"] + NEAR
            if place["height"] < 300:
                assert place["y"] >= bottom(caption) - NEAR, f"question {at} is under its caption"
    context.close()


WRITE = "text => document.querySelectorAll('.caption-text').forEach(one => { one.textContent = text; })"
LONG = "A tray of assorted sushi rolls with a pair of dark chopsticks held high above it."


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_pair_on_a_small_phone_is_seen_whole(chromium, served, script) -> None:
    """Image, both captions, the scale and the button at once, before and after a choice."""
    context = chromium.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, java_script_enabled=script
    )
    page = served.enter(context, "humanr")
    page.evaluate(
        "text => document.querySelectorAll('.caption-text').forEach(one => { one.textContent = text; })", LONG
    )
    for _ in range(2):
        image, scale, bar = (box(page, one) for one in (".picture img", ".points", ".actions.sticky"))
        assert image["y"] >= box(page, ".top")["height"]
        assert image["height"] >= 0.2 * 740 - NEAR
        for caption in page.locator(".caption-text").all():
            place = caption.bounding_box()
            assert place["y"] >= bottom(image) - NEAR
            assert bottom(place) <= box(page, ".answer-bar")["y"] + NEAR
        assert bottom(scale) <= bar["y"] + NEAR
        assert bottom(bar) <= 740
        page.locator(".point input").nth(2).tap()
    assert page.evaluate("window.scrollY") == 0
    assert page.locator(".point input").nth(2).is_checked()
    context.close()


@pytest.mark.parametrize("shape", [(600, 400), (300, 450)], ids=["landscape", "portrait"])
def test_the_image_uses_the_room_there_is(chromium, served, shape) -> None:
    """On a phone a landscape image has the width; on a desk a portrait one has the height."""
    from io import BytesIO

    from PIL import Image

    drawn = BytesIO()
    Image.new("RGB", (shape[0] * 4, shape[1] * 4), "teal").save(drawn, "PNG")
    for size in (DESK, PHONE):
        context = chromium.new_context(viewport=size, has_touch=size is PHONE)
        context.route(
            "**/images/**", lambda route: route.fulfill(body=drawn.getvalue(), content_type="image/png")
        )
        page = served.enter(context, "tagging")
        page.wait_for_function("document.querySelector('.picture img').naturalWidth > 0")
        image = box(page, ".picture img")
        # What is drawn within the box keeps the shape of the picture.
        scale = min(image["width"] / shape[0], image["height"] / shape[1])
        width, height = shape[0] * scale, shape[1] * scale
        if size is PHONE and shape[0] > shape[1]:
            assert width >= 0.97 * size["width"]
        if size is DESK and shape[0] < shape[1]:
            assert height >= 0.8 * size["height"]
        page.locator("[data-zoom]").click()
        page.locator("#zoom-dialog img").wait_for()
        page.locator(".zoom-view[data-size]").wait_for()
        large = box(page, "#zoom-dialog img")
        factor = min(large["width"] / shape[0], large["height"] / shape[1]) / scale
        assert factor > 1.1, "the zoom does not zoom"
        context.close()


def test_end_labels_stand_at_the_ends_of_their_scale(chromium, served) -> None:
    for size in (DESK, PHONE):
        context = chromium.new_context(viewport=size)
        for protocol in ("humanr", "labelled"):
            page = served.enter(context, protocol)
            points = page.locator("div.scale").first.locator(".point")
            first, last = points.first.bounding_box(), points.last.bounding_box()
            names = page.locator("div.scale").first.locator(".names span")
            left, right = names.first.bounding_box(), names.last.bounding_box()
            assert abs(left["x"] - first["x"]) <= NEAR
            assert abs(right["x"] + right["width"] - last["x"] - last["width"]) <= NEAR
            assert right["y"] >= bottom(last) - NEAR
        context.close()


def test_every_choice_shows_its_key_and_points_carry_words(context, served) -> None:
    for protocol in ("thumb", "tagging", "audit", "humanr"):
        page = served.enter(context, protocol)
        for choice in page.locator("[data-question]:not([hidden]) input[data-key]:visible").all()[:12]:
            label = page.locator(f'label[for="{choice.get_attribute("id")}"]')
            shown = label.locator("kbd, .figure").first.inner_text()
            assert shown in (choice.get_attribute("data-key"), choice.get_attribute("value")[0])
    page = served.enter(context, "thumb")
    words = page.locator('[data-question="A.precision"] .word').all_inner_texts()
    assert [word.strip() for word in words] == [
        "All wrong",
        "Mostly wrong",
        "Partly wrong",
        "Minor issue",
        "All true",
    ]


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_panorama_is_high_enough_and_opens_as_high_as_the_window(chromium, served, size) -> None:
    from io import BytesIO

    from PIL import Image

    drawn = BytesIO()
    Image.new("RGB", (6000, 700), "teal").save(drawn, "PNG")
    context = chromium.new_context(viewport=size, has_touch=size is PHONE)
    context.route(
        "**/images/**", lambda route: route.fulfill(body=drawn.getvalue(), content_type="image/png")
    )
    page = served.enter(context, "tagging")
    page.locator(".panorama").wait_for()
    assert box(page, ".picture img")["height"] >= 0.29 * size["height"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("[data-zoom]").click()
    page.locator(".zoom-view[data-size]").wait_for()
    assert box(page, "#zoom-dialog img")["height"] >= 0.95 * size["height"]
    before = float(page.locator(".zoom-view").get_attribute("data-size"))
    page.mouse.move(size["width"] / 2, size["height"] / 2)
    page.mouse.wheel(0, -200)
    page.wait_for_function(f"Number(document.querySelector('.zoom-view').dataset.size) > {before}")
    context.close()
