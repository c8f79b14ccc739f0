"use strict";
// Marks: each key sends what it marks, and the next block comes when the server has saved it.
(() => {
  const shown = document.querySelector("[data-marking]");
  if (!shown) return;
  const state = JSON.parse(shown.querySelector("[data-state]").textContent);
  const { choose, page } = window.newscorpus;
  const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-Newscorpus-Token"];
  const held = new Map(Object.entries(state.held).map(([at, kind]) => [Number(at), kind]));
  const values = new Map(Object.entries(state.values).map(([at, read]) => [Number(at), read]));
  const known = new Set(state.known), block = new Map(state.blocks.map((one) => [one.position, one]));
  const order = state.blocks.map((one) => one.position);
  const undone = [];
  let around = null, saving = Promise.resolve(), sentFilled = false, asked = false;

  const say = (what) => { shown.querySelector("[data-said]").textContent = what; };
  const pieces = (at) => page(shown).querySelectorAll(`[data-block="${at}"]`);
  const readAt = (at) => ["date", "author"].includes(held.get(at)) ? values.get(at) : undefined;
  const paint = () => {
    for (const piece of page(shown).querySelectorAll("[data-block]")) {
      const at = Number(piece.dataset.block), kind = held.get(at);
      piece.classList.toggle("marked-good", Boolean(kind) && kind !== "bad");
      piece.classList.toggle("marked-bad", kind === "bad" || (!kind && known.has(at)));
      piece.title = kind ?? (known.has(at) ? "judged on another page" : "");
    }
    for (const part of shown.querySelectorAll("[data-part]")) {
      const kinds = part.dataset.part === "good" ? ["good", "lead"] : [part.dataset.part];
      const lines = order.filter((at) => kinds.includes(held.get(at))).map((at) => {
        const line = document.createElement("p");
        line.dataset.block = at;
        const read = readAt(at);
        line.textContent = read ? read.join(", ") || "cannot be read, and is left out" : block.get(at).text;
        return line;
      });
      part.replaceChildren(...(lines.length ? lines : [Object.assign(document.createElement("span"), { className: "faint", textContent: "not marked" })]));
    }
  };
  const here = () => Number(shown.dataset.at ?? -1);
  const go = (by) => {
    let at = order.indexOf(here());
    do at += by; while (at >= 0 && at < order.length && known.has(order[at]) && !held.has(order[at]));
    if (at >= 0 && at < order.length) choose(shown, order[at]);
  };
  const post = async (stroke) => {
    const headers = { "X-Newscorpus-Token": token, "Content-Type": "application/json", "HX-Request": "true" };
    const answer = await fetch(location.pathname, { method: "POST", body: JSON.stringify({ who: state.who, ...stroke }), headers });
    if (!answer.ok) throw new Error(`not saved: ${new DOMParser().parseFromString(await answer.text(), "text/html").body.textContent.trim()}`);
    return answer.json();
  };
  const send = (blocks, done) => {
    const n = held.size;  // more may be marked until this is saved
    saving = saving.then(async () => {
      const { read, seen } = await post({ page: state.page, blocks, done, n_blocks: done ? order.length : 0, seen: state.seen });
      say(`saved: ${n} mark${n === 1 ? "" : "s"}`);
      state.seen = seen;
      for (const [at, found] of Object.entries(read)) values.set(Number(at), found);
      paint();
    });
    return saving.catch((error) => { say(error.message); saving = Promise.resolve(); throw error; });
  };
  const marked = (at, kind) => ({ position: at, kind, path: block.get(at).path, text: block.get(at).text });
  const all = () => [...held].map(([at, kind]) => marked(at, kind));
  const set = (changes) => {
    const first = sentFilled ? [] : all();  // what the model filled in
    sentFilled = true;
    for (const [at, kind] of changes) {
      kind ? held.set(at, kind) : held.delete(at);
      values.delete(at);
    }
    paint();
    return send([...first, ...changes.map(([at, kind]) => marked(at, kind))], false).catch(() => {});
  };
  const mark = (kind) => {
    asked = false;
    const targets = around ?? (here() >= 0 ? [here()] : []);
    if (!targets.length) return go(1);
    undone.push(targets.map((at) => [at, held.get(at) ?? ""]));
    set(targets.map((at) => [at, kind]));
    around = null;
    choose(shown, targets.at(-1));
    go(1);
  };
  const widen = () => {
    if (here() < 0) return;
    const now = new Set(around ?? [here()]);
    let element = pieces(here())[0].parentElement;
    const inside = () => [...new Set([...element.querySelectorAll("[data-block]")].map((one) => Number(one.dataset.block)))];
    while (element.parentElement && inside().every((at) => now.has(at))) element = element.parentElement;
    around = inside();
    for (const at of around) for (const piece of pieces(at)) piece.classList.add("chosen");
    say(`${around.length} blocks of the element around`);
  };
  const undo = () => {
    const last = undone.pop();
    if (last) {
      set(last);
      choose(shown, last[0][0]);
    } else if (state.before) {
      post({ page: state.before, reopens: true })
        .then(() => location.assign(`?${new URLSearchParams({ who: state.who, page: state.before })}`), (error) => say(error.message));
    } else say("nothing to undo");
  };
  const finish = () => {
    if (!held.size && !asked) {
      asked = true;
      return say("Nothing is marked. Enter again: the page has no main text");
    }
    send(all(), true).then(() => location.assign(state.next)).catch(() => {});
  };
  const keys = { e: widen, u: undo, Enter: finish, j: () => go(1), k: () => go(-1) };
  for (const button of shown.querySelectorAll("[data-kind]")) keys[button.dataset.key] = () => mark(button.dataset.kind);

  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || event.target.matches?.("input, select, textarea")) return;
    if (event.key === "Enter" && event.target.matches?.("button, a")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keys[event.key]();
  };
  window.addEventListener("keydown", press, true);
  shown.addEventListener("click", (event) => {
    const button = event.target.closest("[data-key]");
    if (button) keys[button.dataset.key]();
  });
  shown.addEventListener("chosen", () => { around = null; });
  const start = () => {
    page(shown).defaultView.addEventListener("keydown", press, true);
    for (const at of state.apart) for (const piece of pieces(at)) piece.classList.add("t3");
    paint();
    go(1);
    shown.dataset.marks = "ready";
  };
  if (shown.dataset.ready) start();
  else new MutationObserver((_, observer) => {
    if (shown.dataset.ready) { observer.disconnect(); start(); }
  }).observe(shown, { attributes: true, attributeFilter: ["data-ready"] });
})();
