"""Client of the Malote delivery service."""

from ._answers import File, Meta, meta
from ._errors import MaloteError, NoAnswerError, NotModifiedError
from ._malote import Malote
from ._version import VERSION as __version__
from .listing import Listing, Page
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "File",
    "Listing",
    "Malote",
    "MaloteError",
    "Meta",
    "NoAnswerError",
    "NotModifiedError",
    "Page",
    "WebhookVerificationError",
    "__version__",
    "meta",
    "verify_webhook",
]
