"""Read pages that are stored: in archives, in files of pages, and in object stores."""
