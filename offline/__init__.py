"""A chat model that needs no key and no network: rules in English and Chinese."""

from previously.offline.model import MODEL_NAME, OfflineChatModel

__all__ = ["MODEL_NAME", "OfflineChatModel"]
