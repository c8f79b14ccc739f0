"""Read portals from files: what to crawl of a site, and its template rules."""
