"""Serve what the commands print to a browser: pages and their text, documents, marks, crawls and portals."""
