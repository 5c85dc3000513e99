"""Why something that somebody wanted added is not: told to them in their language."""

from __future__ import annotations

from bot.slack.naming import called
from bot.texts import Texts


class NotAdded(Exception):
    """``key`` is the text's, ``values`` are its fields, as plain text: escape the sentence before it is shown."""

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values

    def sentence(self, texts: Texts) -> str:
        """Why, and what to do.

        >>> NotAdded("file_gone", name="Budget.xlsx").sentence(ENGLISH)
        'Budget.xlsx is no longer in Slack, or I am not in its channel, so I could not read it. Attach it again.'
        """
        name = {"name": called(str(self.values["name"]), texts)} if "name" in self.values else {}
        return texts.say(self.key, **self.values | name)
