"use strict";
// A server that is gone answers nothing: say so, instead of nothing happening.
document.addEventListener("htmx:sendError", (event) => {
  event.detail.target.textContent = "The server does not answer; is `newscorpus ui` still running?";
});
