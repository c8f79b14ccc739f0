"""Views for people: explanations, statistics, the browser side, the demo."""
