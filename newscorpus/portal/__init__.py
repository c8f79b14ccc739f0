"""Say what a portal is: its file, its addresses, its profile, as values that are read and written."""
