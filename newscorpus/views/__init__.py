"""Show people what is there and why: explanations, statistics, the browser side, the demo."""
