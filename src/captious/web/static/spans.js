"use strict";
// Marks in a caption: by mouse, touch and keyboard. The caption's text stays as it is; its words become
// options of a list box. It runs where it stands in the page, before the scripts that send the form.
(() => {
  const SIGHT = 24; // pixels from the edge of the pane where a drag scrolls it
  const TOGETHER = 700; // milliseconds between letters of one word

  // The caption cut into words, punctuation and gaps; offsets count code points, as the server does.
  function cut(text) {
    const parts = Intl.Segmenter
      ? [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].map((one) => one.segment)
      : text.split(/(\s+)/u).filter(Boolean);
    let start = 0;
    return parts.map((part) => {
      const end = start + [...part].length;
      const one = { text: part, start, end, gap: /^\s+$/u.test(part), point: /^\p{P}+$/u.test(part) };
      start = end;
      return one;
    });
  }

  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

  function captionOf(root) {
    const own = root.closest(".caption-card, .card")?.querySelector(".caption-text");
    return own ?? (root.closest("form") ?? document).querySelector(".caption-text");
  }

  function start(root, number) {
    root.dataset.ready = "";
    const caption = captionOf(root);
    if (!caption) return;
    const say = (key) => root.dataset[`t${key[0].toUpperCase()}${key.slice(1)}`];
    const find = (within) => root.querySelector(within);
    const form = root.closest("form");
    const stored = find("[data-marks]");
    const editor = find("[data-editor]");
    const list = find("[data-list]");
    const note = find("[data-note]");
    const missingText = find("[data-missing-text]");
    const [quote, missingLine, noteLine] = ["[data-quote]", "[data-missing-line]", "[data-note-line]"].map(find);
    const kinds = [...root.querySelectorAll("[data-error]")];
    const severities = [...root.querySelectorAll("[data-severity]")];
    const labels = new Map([...kinds, ...severities].map((one) => [one.dataset.error ?? one.dataset.severity, one.lastChild.textContent.trim()]));
    const suggested = JSON.parse(root.dataset.suggested || "[]");
    const most = Number(root.dataset.most) || Infinity;
    stored.name = root.dataset.name;
    find("[data-plain]")?.remove();

    const text = caption.textContent;
    const segments = cut(text);
    const points = [...text];
    const whole = Object.assign(document.createElement("p"), { className: "visually-hidden", dir: "auto", textContent: `${say("whole")} ${text}` });
    caption.before(whole);
    // The choices stand below the caption and stay in sight with it.
    caption.after(editor);
    caption.classList.add("markable");
    for (const [name, value] of Object.entries({ role: "listbox", "aria-multiselectable": "true", "aria-label": say("words"), dir: "auto" })) caption.setAttribute(name, value);
    const elements = segments.map((one, at) => {
      const element = Object.assign(document.createElement("span"), { textContent: one.text });
      if (one.gap) return element;
      element.className = "w";
      element.id = `word-${number}-${at}`;
      element.tabIndex = -1;
      element.setAttribute("role", "option");
      return element;
    });
    caption.replaceChildren(...elements);
    const placeOf = new Map(elements.map((element, at) => [element, at]));
    const words = segments.map((_, at) => at).filter((at) => !segments[at].gap);
    const stops = words.filter((at) => !segments[at].point);
    if (!stops.length) stops.push(...words);

    // What sticks to the top is as high as the caption with its choices: focus must not land under it.
    new ResizeObserver(([{ target }]) => {
      document.documentElement.style.setProperty("--caption", `${Math.ceil(target.getBoundingClientRect().height)}px`);
    }).observe(caption.closest(".captions") ?? caption);
    root.dataset.untried = "";

    let marks = read();
    let before = [];
    let pending = null; // { from, to, kind, severity, note, mark, missing }: not complete yet, or a mark that is changed
    let here = stops[0] ?? 0;
    let anchor = here;

    function read() {
      try { return JSON.parse(stored.value).filter((mark) => mark.kind); } catch { return []; }
    }

    // Marks

    // The words go along, so that the server can tell whether it counts as we do.
    const known = ["start", "end", "text", "kind", "severity", "note", "of", "kept"];
    function keep(next, remember = true) {
      if (remember) before.push(marks);
      marks = [...next].sort((a, b) => (a.start ?? Infinity) - (b.start ?? Infinity) || (a.end ?? 0) - (b.end ?? 0));
      stored.value = JSON.stringify(marks.map((mark) => {
        const whole = { ...mark, text: isMissing(mark) ? undefined : wordsOf(mark) };
        return Object.fromEntries(known.filter((key) => whole[key] !== undefined && whole[key] !== "").map((key) => [key, whole[key]]));
      }));
      stored.dispatchEvent(new Event("input", { bubbles: true }));
    }

    const wordsOf = (mark) => (mark.start === null || mark.start === undefined ? mark.note : points.slice(mark.start, mark.end).join(""));
    const named = (mark) => [labels.get(mark.kind) ?? mark.kind, (labels.get(mark.severity) ?? mark.severity).toLowerCase()].join(", ");
    const isMissing = (mark) => mark.start === null || mark.start === undefined;
    const byOf = (mark) => (mark.of === undefined ? "" : say("suggestedBy").replace("{source}", suggested[mark.of]?.source || "?"));
    function told(mark) {
      const state = mark.of === undefined ? "" : mark.kept ? say("kept") : byOf(mark);
      return [isMissing(mark) ? say("missing") : "", named(mark), state].filter(Boolean).join(", ");
    }

    function at(place) {
      const one = segments[place];
      const own = marks.filter((mark) => !isMissing(mark) && mark.start < one.end && mark.end > one.start);
      return own.sort((a, b) => (a.end - a.start) - (b.end - b.start))[0];
    }

    function remove(mark) {
      keep(marks.filter((one) => one !== mark));
      close();
      tell(say("removed"));
    }

    function confirm(mark) {
      const changed = { ...mark, kept: mark.kept ? undefined : true };
      keep(marks.map((one) => (one === mark ? changed : one)));
      paint();
      tell(`${wordsOf(changed)}: ${told(changed)}`);
    }

    function undo() {
      if (!before.length) return;
      keep(before.pop(), false);
      close();
      tell(say("undone"));
    }

    // What is being marked

    function open(from, to, rest = {}) {
      if (!rest.mark && marks.length >= most) { tell(say("full")); return; }
      pending = { from, to, kind: kinds.length === 1 ? kinds[0].dataset.error : "", severity: severities.length === 1 ? severities[0].dataset.severity : "", note: "", ...rest };
      note.value = pending.note ?? "";
      missingText.value = pending.missing ? pending.note ?? "" : "";
      paint();
      editor.scrollIntoView({ block: "nearest" });
      elements[pending.to]?.scrollIntoView({ block: "nearest" });
    }

    function change(mark) {
      if (!isMissing(mark)) [here, anchor] = [placeAt(mark.start), placeAt(mark.start)];
      open(isMissing(mark) ? -1 : placeAt(mark.start), isMissing(mark) ? -1 : placeAt(mark.end - 1), { mark, kind: mark.kind, severity: mark.severity, note: mark.note, missing: isMissing(mark) });
    }

    const placeAt = (point) => segments.findIndex((one) => one.start <= point && point < one.end);

    function close() {
      pending = null;
      paint();
    }

    // A digit or a press: first the kind, then the severity, which completes the mark.
    function choose(kind, severity, stay = false) {
      if (!pending) return;
      if (kind) pending.kind = kind;
      if (severity) pending.severity = severity;
      if (pending.mark) {
        const [was] = [pending.mark];
        const changed = { ...was, kind: pending.kind, severity: pending.severity };
        if (changed.kind !== was.kind || changed.severity !== was.severity) delete changed.kept;
        keep(marks.map((one) => (one === was ? changed : one)));
        pending.mark = changed;
        if (severity && !stay) return void finish(changed);
      } else if (pending.kind && pending.severity && !(pending.missing && !missingText.value.trim())) {
        return void complete();
      }
      if (pending.missing && !missingText.value.trim()) missingText.focus();
      paint();
    }

    function complete() {
      const mark = pending.missing
        ? { start: null, end: null, kind: pending.kind, severity: pending.severity, note: missingText.value.trim() }
        : { start: segments[pending.from].start, end: segments[pending.to].end, kind: pending.kind, severity: pending.severity, note: note.value.trim() };
      const twice = marks.some((one) => one.start === mark.start && one.end === mark.end && one.kind === mark.kind && (!pending.missing || one.note === mark.note));
      if (!twice) keep([...marks, mark]);
      finish(mark);
    }

    function finish(mark) {
      const inside = editor.contains(document.activeElement);
      const back = pending.missing ? find("[data-add-missing]") : elements[pending.to];
      close();
      if (inside) back.focus({ preventScroll: true });
      tell(`${wordsOf(mark)}: ${told(mark)}`);
    }

    // What is seen

    let saying = 0;
    function tell(words) {
      cancelAnimationFrame(saying);
      const status = find("[data-said]");
      status.textContent = "";
      saying = requestAnimationFrame(() => { status.textContent = words; });
    }

    function paint() {
      const tags = new Map();
      for (const mark of marks) {
        if (isMissing(mark)) continue;
        const last = placeAt(mark.end - 1);
        tags.set(last, [...(tags.get(last) ?? []), kinds.findIndex((one) => one.dataset.error === mark.kind) + 1]);
      }
      const worst = severities.length - 1;
      segments.forEach((one, place) => {
        const element = elements[place];
        const own = marks.filter((mark) => !isMissing(mark) && mark.start < one.end && mark.end > one.start);
        const grade = Math.max(-1, ...own.map((mark) => severities.findIndex((button) => button.dataset.severity === mark.severity)));
        element.classList.toggle("flagged", own.length > 0);
        element.classList.toggle("worst", own.length > 0 && grade === worst && worst > 0);
        element.classList.toggle("open", own.length > 0 && own.every((mark) => mark.of !== undefined && !mark.kept));
        element.classList.toggle("picked", Boolean(pending) && !pending.missing && pending.from <= place && place <= pending.to);
        if (tags.has(place) && kinds.length > 1) element.dataset.tag = tags.get(place).filter(Boolean).join("·"); else delete element.dataset.tag;
        if (one.gap) return;
        element.tabIndex = place === here ? 0 : -1;
        element.setAttribute("aria-selected", String(own.length > 0));
        if (own.length) element.setAttribute("aria-label", `${one.text}: ${own.map((mark) => `${say("marked")}, ${told(mark)}`).join("; ")}`);
        else element.removeAttribute("aria-label");
      });
      editor.hidden = !pending;
      if (pending) {
        for (const one of kinds) one.setAttribute("aria-pressed", String(one.dataset.error === pending.kind));
        for (const one of severities) one.setAttribute("aria-pressed", String(one.dataset.severity === pending.severity));
        quote.textContent = pending.missing ? "" : `“${points.slice(segments[pending.from].start, segments[pending.to].end).join("")}”`;
        quote.hidden = pending.missing === true;
        missingLine.hidden = pending.missing !== true;
        noteLine.hidden = !pending.mark || pending.missing === true;
      }
      find("[data-undo-mark]").hidden = before.length === 0;
      list.hidden = marks.length === 0;
      list.replaceChildren(...marks.map(line));
    }

    const button = (words, name, act, label) => {
      const made = Object.assign(document.createElement("button"), { type: "button", className: name, textContent: words });
      if (label) made.setAttribute("aria-label", label);
      made.addEventListener("click", act);
      return made;
    };

    function line(mark) {
      const row = document.createElement("li");
      const quote = isMissing(mark) ? `${say("missing")}: ${mark.note}` : `“${wordsOf(mark)}”`;
      const go = button(quote, "quote", () => { change(mark); (pending.missing ? missingText : kinds[0]).focus({ preventScroll: true }); }, `${say("change")} ${quote}, ${named(mark)}`);
      go.dir = "auto";
      const about = Object.assign(document.createElement("span"), { className: "mark-about", textContent: [told(mark).replace(`${say("missing")}, `, ""), isMissing(mark) ? "" : mark.note].filter(Boolean).join(" · ") });
      row.append(go, about);
      if (mark.of !== undefined) {
        const right = button(say("keep"), "mark-keep", () => { confirm(mark); list.children[marks.findIndex((one) => one.of === mark.of)]?.querySelector(".mark-keep")?.focus(); }, `${say("keep")}: ${quote}`);
        right.setAttribute("aria-pressed", String(Boolean(mark.kept)));
        row.append(right);
      }
      row.append(button("×", "quiet mark-remove", () => { remove(mark); (list.querySelector("button") ?? find("[data-add-missing]")).focus(); }, `${say("remove")} ${quote}`));
      return row;
    }

    // Mouse and touch

    let drag = null;
    function under(event) {
      const hit = document.elementFromPoint(event.clientX, event.clientY)?.closest(".w");
      return hit && placeOf.has(hit) ? placeOf.get(hit) : -1;
    }

    caption.addEventListener("pointerdown", (event) => {
      const place = under(event);
      if (event.button !== 0 || place < 0) return;
      drag = { from: place, to: place };
    });
    document.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const pane = caption.getBoundingClientRect();
      if (event.clientY < pane.top + SIGHT) caption.scrollTop -= SIGHT / 2;
      if (event.clientY > pane.bottom - SIGHT) caption.scrollTop += SIGHT / 2;
      const place = under(event);
      if (place < 0 || place === drag.to) return;
      drag.to = place;
      drag.moved = true;
      const [from, to] = [Math.min(drag.from, place), Math.max(drag.from, place)];
      elements.forEach((element, one) => element.classList.toggle("picked", from <= one && one <= to));
    });
    document.addEventListener("pointerup", () => {
      if (!drag) return;
      const { from, to, moved } = drag;
      drag = null;
      here = to;
      anchor = from;
      if (moved && from !== to) open(Math.min(from, to), Math.max(from, to));
      else tap(to);
    });
    document.addEventListener("pointercancel", () => { if (drag) { drag = null; paint(); } });

    // The first word, then the last one; a word of a mark opens it.
    function tap(place) {
      if (pending && !pending.mark && !pending.missing) {
        if (pending.from === place && pending.to === place) return void close();
        return void open(Math.min(pending.from, place), Math.max(pending.to, place), { kind: pending.kind, severity: pending.severity });
      }
      const own = at(place);
      if (own) change(own); else open(place, place);
    }

    // Keys

    function goTo(place, extend = false) {
      if (place === undefined || place < 0) return;
      here = place;
      if (extend) open(Math.min(anchor, here), Math.max(anchor, here), pending && !pending.mark ? { kind: pending.kind, severity: pending.severity } : {});
      else { anchor = here; if (pending && !pending.mark && !pending.kind) pending = null; paint(); }
      elements[here].focus({ preventScroll: true });
      elements[here].scrollIntoView({ block: "nearest" });
    }

    const step = (by) => {
      const next = by > 0 ? stops.find((one) => one > here) : stops.findLast((one) => one < here);
      return next ?? here;
    };

    // The word above or below that is nearest; undefined in the first and the last line.
    function lineStep(down) {
      const box = elements[here].getBoundingClientRect();
      const middle = box.left + box.width / 2;
      let best;
      let line = null;
      for (const place of down ? stops.filter((one) => one > here) : stops.filter((one) => one < here).reverse()) {
        const other = elements[place].getBoundingClientRect();
        const off = down ? other.top - box.top : box.top - other.top;
        if (off < box.height / 2) continue;
        line ??= other.top;
        if (Math.abs(other.top - line) > box.height / 2) break;
        const far = Math.abs(other.left + other.width / 2 - middle);
        if (!best || far < best.far) best = { place, far };
      }
      return best?.place;
    }

    let typed = { letters: "", time: -Infinity };
    function typeAhead(letter, time) {
      const letters = time - typed.time < TOGETHER ? typed.letters + letter : letter;
      typed = { letters, time };
      const same = [...letters].every((one) => one === letters[0]);
      const wanted = plain(same ? letters[0] : letters);
      const order = [...words.filter((one) => (same ? one > here : one >= here)), ...words.filter((one) => (same ? one <= here : one < here))];
      goTo(order.find((one) => plain(segments[one].text).startsWith(wanted)));
    }

    function digit(number) {
      if (!pending || pending.mark) {
        const own = pending?.mark ?? (anchor === here ? at(here) : undefined);
        if (own && pending?.step !== "severity") { change(own); pending.step = "kind"; }
        if (!own) open(Math.min(anchor, here), Math.max(anchor, here));
        if (!pending) return;
      }
      const next = pending.mark ? pending.step === "severity" : pending.kind !== "";
      const one = (next ? severities : kinds)[number - 1];
      if (!one) return;
      pending.step = "severity";
      choose(one.dataset.error, one.dataset.severity);
    }

    function addMissing() {
      open(-1, -1, { missing: true });
      if (pending) missingText.focus();
    }

    const ARROWS = { ArrowRight: 1, ArrowLeft: -1 };
    caption.addEventListener("keydown", (event) => {
      const { key } = event;
      if (event.isComposing || event.altKey || event.metaKey) return;
      if (event.ctrlKey) {
        if (key.toLowerCase() === "z") { event.preventDefault(); event.stopPropagation(); undo(); elements[here].focus({ preventScroll: true }); }
        return;
      }
      if (key.length > 1 || /[\d+= ]/.test(key)) typed = { letters: "", time: -Infinity };
      const forward = getComputedStyle(caption).direction === "rtl" ? -1 : 1;
      let done = true;
      if (ARROWS[key]) goTo(step(ARROWS[key] * forward), event.shiftKey);
      else if (key === "ArrowDown" || key === "ArrowUp") {
        const next = lineStep(key === "ArrowDown");
        if (next !== undefined) goTo(next, event.shiftKey);
        else if (key === "ArrowDown") find("[data-add-missing]").focus();
      } else if (key === "Home") goTo(stops[0], event.shiftKey);
      else if (key === "End") goTo(stops.at(-1), event.shiftKey);
      else if (/^[1-9]$/.test(key)) digit(Number(key));
      else if (key === "Enter" || key === " ") {
        const own = at(here);
        if (!pending) { if (own) change(own); else open(Math.min(anchor, here), Math.max(anchor, here)); }
        if (pending) kinds[0].focus({ preventScroll: true });
      } else if (key === "Delete" || key === "Backspace") {
        const own = pending?.mark ?? at(here);
        if (pending && !pending.mark) close(); else if (own) remove(own);
        elements[here].focus({ preventScroll: true });
      } else if (key === "Escape") {
        if (pending) { anchor = here; close(); elements[here].focus({ preventScroll: true }); } else find("[data-add-missing]").focus();
      } else if (key === "+") addMissing();
      else if (key === "=") { const own = at(here); if (own?.of !== undefined) confirm(own); }
      else if ([...key].length === 1) typeAhead(key, event.timeStamp);
      else done = false;
      if (done) { event.preventDefault(); event.stopPropagation(); }
    });
    caption.addEventListener("focusin", (event) => {
      delete root.dataset.untried;
      const place = placeOf.get(event.target);
      if (place === undefined || place === here) return;
      here = place;
      anchor = place;
      elements.forEach((element, one) => { if (!segments[one].gap) element.tabIndex = one === here ? 0 : -1; });
    });

    editor.addEventListener("keydown", (event) => {
      const typing = event.target.matches("input");
      if (event.key === "Escape") {
        const back = pending?.missing ? find("[data-add-missing]") : elements[here];
        close();
        back.focus({ preventScroll: true });
      } else if (event.key === "Enter" && typing && !event.ctrlKey) {
        if (event.target === missingText && pending && !pending.mark) (pending.kind && pending.severity ? complete() : kinds[0].focus());
        else if (pending) finishText();
      } else if (!typing && /^[1-9]$/.test(event.key)) digit(Number(event.key));
      else if (!typing && ARROWS[event.key]) {
        const all = [...editor.querySelectorAll("button")];
        all[(all.indexOf(event.target) + ARROWS[event.key] + all.length) % all.length].focus();
      } else if (typing && event.key !== "Tab") { event.stopPropagation(); return; } else return;
      event.preventDefault();
      event.stopPropagation();
    });

    // Words beside a mark that is there already.
    function finishText() {
      if (!pending?.mark) return;
      const value = (pending.missing ? missingText : note).value.trim();
      if (value !== (pending.mark.note ?? "") && (value || !pending.missing)) {
        const changed = { ...pending.mark, note: value || undefined };
        delete changed.kept;
        keep(marks.map((one) => (one === pending.mark ? changed : one)));
      }
      close();
    }
    for (const field of [note, missingText]) {
      field.addEventListener("change", () => {
        if (!pending?.mark) return;
        const value = field.value.trim();
        if (!value && pending.missing) return;
        const changed = { ...pending.mark, note: value || undefined };
        keep(marks.map((one) => (one === pending.mark ? changed : one)));
        pending.mark = changed;
        paint();
      });
    }

    function press(event) {
      const pressed = event.target.closest("button");
      if (!pressed) return;
      if (pressed.dataset.error) choose(pressed.dataset.error, "");
      else if (pressed.dataset.severity) choose("", pressed.dataset.severity);
      else if (pressed.matches("[data-close-editor]")) { const missing = pending?.missing; close(); (missing ? find("[data-add-missing]") : elements[here]).focus({ preventScroll: true }); }
      else if (pressed.matches("[data-add-missing]")) addMissing();
      else if (pressed.matches("[data-undo-mark]")) undo();
    }
    for (const place of [root, editor]) place.addEventListener("click", press);
    find("[data-add-missing]").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowUp") return;
      event.preventDefault();
      event.stopPropagation();
      elements[here]?.focus();
    });

    // A mark that is not complete is neither lost nor sent.
    form?.addEventListener("submit", (event) => {
      if (!pending || pending.mark || event.submitter?.hasAttribute("formaction")) return;
      if (!pending.kind && !pending.missing) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      tell(say("finish"));
      quote.hidden = false;
      quote.textContent = say("finish");
      (pending.kind ? severities : kinds)[0].focus();
    }, { capture: true });

    root.closest("[data-question]")?.addEventListener("captious:focus", (event) => {
      event.preventDefault();
      elements[here]?.focus({ preventScroll: true });
      root.closest("[data-question]").scrollIntoView({ block: "nearest" });
    });
    paint();
  }

  document.querySelectorAll("[data-spans]:not([data-ready])").forEach((root) => start(root, document.querySelectorAll("[data-ready]").length));
})();
