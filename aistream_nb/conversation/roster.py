"""The models of the messages, in the order of the messages.

A message that comes behind all others is added without a look at them, so that the
hundredth message of a run costs what the first did. Any other change of the order
reads it anew. A model whose message is still there stays the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from aistream_nb.conversation.models import MessageModel

__all__ = ["Roster"]


class Roster:
    """Who is in the conversation.

    Args:
        make: Makes the model of a message that is new.
        ids: The ids of the messages from a place on, in order.
    """

    def __init__(
        self,
        make: Callable[[str], MessageModel],
        ids: Callable[[int], Sequence[str]],
    ) -> None:
        self._make = make
        self._ids = ids
        self._models: dict[str, MessageModel] = {}
        self.models: tuple[MessageModel, ...] = ()
        """The models, in order; a tuple that is never changed."""

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._models

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the messages that have a model, in order."""
        return tuple(self._models)

    def get(self, message_id: str) -> MessageModel | None:
        """The model of a message, or ``None``."""
        return self._models.get(message_id)

    def follow(self, changed: Iterable[str]) -> bool:
        """Follow what came or went among ``changed``; whether the order is another."""
        new = [name for name in changed if name not in self._models]
        if not new or list(self._ids(len(self._models))) != new:
            return self.set(self._ids(0))
        # As many stand before the new ones as before, and all of those are known: so
        # none went and none was put between.
        self._models.update((name, self._make(name)) for name in new)
        self.models += tuple(self._models[name] for name in new)
        return True

    def set(self, ids: Iterable[str]) -> bool:
        """Have these messages, in this order; whether that is another order."""
        known = self._models
        models = {
            name: known[name] if name in known else self._make(name) for name in ids
        }
        is_other = list(models) != list(known)
        self._models = models
        self.models = tuple(models.values())
        return is_other
