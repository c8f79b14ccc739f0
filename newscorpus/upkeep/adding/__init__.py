"""Add a portal: from the address of a site to a portal's file."""
