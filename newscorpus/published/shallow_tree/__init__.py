"""The Slovene decision tree (Brezovnik 2021, Ljubljana)."""
