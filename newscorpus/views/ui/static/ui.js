"use strict";
// A server that is gone answers nothing: say so, instead of nothing happening.
document.addEventListener("htmx:sendError", (event) => {
  event.detail.target.textContent = "The server does not answer; is `newscorpus ui` still running?";
});
// One key presses the button of the sample that is being looked at.
document.addEventListener("keydown", (event) => {
  const sample = event.target.closest?.("[data-sample]");
  if (!sample || event.ctrlKey || event.metaKey || event.altKey) return;
  sample.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
