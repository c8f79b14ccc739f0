"use strict";
// One shown page: the same block is chosen in the frame, in the text and in the table.
(() => {
  const page = (shown) => shown.querySelector("iframe").contentDocument;
  const all = (root, at) => root.querySelectorAll(`[data-block="${at}"]`);

  const choose = (shown, at) => {
    const places = [shown, page(shown)];
    for (const place of places) {
      for (const old of place.querySelectorAll(".chosen")) old.classList.remove("chosen");
      const found = [...all(place, at)];
      for (const piece of found) piece.classList.add("chosen");
      if (place !== shown && found.length) found[0].scrollIntoView({ block: "center" });
    }
    const text = shown.querySelector(`.text [data-block="${at}"]`);
    if (text) text.parentElement.scrollTop = text.offsetTop - text.parentElement.offsetTop - 60;
    const verdict = shown.querySelector(`tr[data-block="${at}"] template`);
    const target = shown.querySelector("[data-chosen]");
    if (verdict) target.replaceChildren(verdict.content.cloneNode(true));
    shown.dataset.at = at;
    shown.dispatchEvent(new CustomEvent("chosen", { detail: at, bubbles: true }));
  };

  const step = (shown, by, selector) => {
    const order = [...new Set([...page(shown).querySelectorAll(selector)].map((piece) => Number(piece.dataset.block)))];
    if (!order.length) return;
    const here = order.indexOf(Number(shown.dataset.at ?? -1));
    const next = here >= 0 ? here + by : by > 0 ? Math.max(0, order.findIndex((at) => at > Number(shown.dataset.at ?? -1))) : 0;
    choose(shown, order[Math.min(Math.max(next, 0), order.length - 1)]);
  };

  const say = (shown, what) => { shown.querySelector("[data-said]").textContent = what; };
  const copy = async (shown, text) => {
    try {
      await navigator.clipboard.writeText(text);
      say(shown, "Copied.");
    } catch (error) {
      say(shown, `The browser does not let this page copy: ${error.message}`);
    }
  };
  const actions = {
    hide: (shown, button) => {
      const hides = page(shown).body.classList.toggle("only-good");
      button.setAttribute("aria-pressed", String(hides));
    },
    "copy-text": (shown) => copy(shown, [...shown.querySelectorAll(".text p")].map((one) => one.textContent).join("\n")),
    "copy-json": (shown) => copy(shown, shown.querySelector("[data-json]").textContent),
  };
  const act = (shown, name) => actions[name](shown, shown.querySelector(`[data-do="${name}"]`));
  const keys = {
    j: (shown) => step(shown, 1, "[data-block]"),
    k: (shown) => step(shown, -1, "[data-block]"),
    n: (shown) => step(shown, 1, ".good[data-block]"),
    h: (shown) => act(shown, "hide"),
    c: (shown) => act(shown, "copy-text"),
  };

  const last = () => document.querySelector("[data-shown][data-at]") ?? document.querySelector("[data-shown]");
  document.addEventListener("keydown", (event) => {
    const shown = event.target.closest?.("[data-shown]") ?? last();
    if (!shown || event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select, textarea")) return;
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key](shown);
    }
  });
  document.addEventListener("click", (event) => {
    const shown = event.target.closest("[data-shown]");
    if (!shown) return;
    const button = event.target.closest("[data-do]");
    const block = event.target.closest("[data-block]");
    if (button) act(shown, button.dataset.do);
    else if (block) choose(shown, block.dataset.block);
  });

  // No script runs in a frame: what is done there is heard from here.
  const attach = (frame) => {
    const shown = frame.closest("[data-shown]");
    if (!shown || !frame.contentDocument || frame.contentDocument.documentElement.dataset.heard) return;
    frame.contentDocument.documentElement.dataset.heard = "yes";
    frame.contentDocument.addEventListener("click", (event) => {
      const block = event.target.closest("[data-block]");
      if (block) choose(shown, block.dataset.block);
    });
    frame.contentDocument.addEventListener("keydown", (event) => keys[event.key]?.(shown));
    shown.dataset.ready = "yes";
  };
  document.addEventListener("load", (event) => { if (event.target.matches?.("[data-shown] iframe")) attach(event.target); }, true);
  for (const frame of document.querySelectorAll("[data-shown] iframe")) {
    if (frame.contentDocument?.readyState === "complete" && frame.contentDocument.body?.childNodes.length) attach(frame);
  }
  window.newscorpus = { choose, page, step };
})();
