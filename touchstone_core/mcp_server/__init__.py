"""Lets assistants read and explain a site's figures, by the Model Context Protocol."""
