"""Batch jobs that join several parts: build."""
