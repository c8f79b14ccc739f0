"""What stands between the scheduler and a site: guards, robots, pauses, rendering, download, archive."""
