"""Serve the browser side: pages beside their text, documents, marks, crawls and portals."""
