"""Train the models: from pages with gold text to the folders in `models/`."""
