"""Responses as pages."""

from newscorpus.addon.pages import make_page

__all__ = ["make_page"]
