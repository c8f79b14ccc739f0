"""Write values into portal files, and leave all else there as it stands."""

from pathlib import Path

import tomlkit
from tomlkit.items import String

from newscorpus.files import replacing
from newscorpus.portal.schema import find_file, load_portal, own_portal_file, read_portal


def set_extractor(name: str, extractor: str) -> Path:
    """Write the extractor of a portal into its file, and give that file.

    A bundled portal gets a file in the user's folder `portals`, which goes before it.

    Raises:
        PortalError: there is no such portal, or its file is wrong.
        OSError: the file cannot be written.
    """
    path, portal = find_file(name), load_portal(name)
    document = tomlkit.parse(path.read_text("utf-8"))
    document["extractor"] = string_item(extractor)
    text, target = tomlkit.dumps(document), own_portal_file(portal.name)
    read_portal(text, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(text.encode())
    return target


def string_item(text: str) -> String:
    """Write a string between single quotes, which leave backslashes alone, where that can be."""
    return tomlkit.string(text, literal="'" not in text and text.isprintable())
