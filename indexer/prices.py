"""What Claude's tokens cost: a table with a date, which a JSON file of the same shape replaces.

.. code-block:: json

    {
      "as_of": "2026-11",
      "models": {
        "claude-haiku-5-5": {
          "input": 0.10, "output": 0.50, "cache_write_5m": 0.125, "cache_write_1h": 0.20, "cache_read": 0.01,
          "long_prompt_tokens": 100000, "long_prompt_factor": 5
        }
      }
    }

Prices are US dollars a million tokens. A prompt of more than ``long_prompt_tokens`` (cached tokens included) costs
``long_prompt_factor`` times as much; both may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .errors import SettingsInvalid

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Ttl = Literal["5m", "1h"]
_DATED = re.compile(r"(?:-\d{8}|-latest)\Z")


class Price(BaseModel):
    """The prices of one model, in US dollars a million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Dollars
    output: Dollars
    cache_write_5m: Dollars
    cache_write_1h: Dollars
    cache_read: Dollars
    long_prompt_tokens: int | None = Field(default=None, gt=0)
    long_prompt_factor: float = Field(default=1.0, ge=1, allow_inf_nan=False)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: str = Field(pattern=r"^\d{4}-\d{2}(-\d{2})?$")
    models: dict[str, Price]


@dataclass(frozen=True, slots=True)
class Prices:
    """A price table. ``as_of`` is the month or day it was taken, ``YYYY-MM`` or ``YYYY-MM-DD``."""

    as_of: str
    models: Mapping[str, Price]

    def of(self, model: str) -> Price | None:
        """The price of a model, by its name or by a dated name of it (``claude-haiku-5-5-20261001``)."""
        return self.models.get(model) or self.models.get(_DATED.sub("", model))

    def knows(self, model: str) -> bool:
        """Whether costs of this model are real; those of an unknown one are counted as 0, and a person is told."""
        return self.of(model) is not None

    def cost(
        self,
        model: str,
        *,
        input_tokens: int,
        cache_write_tokens: int = 0,
        cache_read_tokens: int = 0,
        output_tokens: int = 0,
        ttl: Ttl = "5m",
    ) -> float:
        """US dollars for one call; 0.0 for an unknown model. ``input_tokens`` are the uncached ones only.

        >>> table = load_prices()
        >>> table.cost("claude-haiku-5-5", input_tokens=200, cache_read_tokens=20_000, output_tokens=80)
        0.00026
        """
        price = self.of(model)
        if price is None:
            return 0.0
        prompt = input_tokens + cache_write_tokens + cache_read_tokens
        is_long = price.long_prompt_tokens is not None and prompt > price.long_prompt_tokens
        dollars = (
            input_tokens * price.input
            + cache_write_tokens * (price.cache_write_1h if ttl == "1h" else price.cache_write_5m)
            + cache_read_tokens * price.cache_read
            + output_tokens * price.output
        )
        return round(dollars * (price.long_prompt_factor if is_long else 1.0) / 1_000_000, 12)


BUILT_IN = Prices(
    as_of="2026-11",
    models={
        "claude-haiku-5-5": Price(
            input=0.10,
            output=0.50,
            cache_write_5m=0.125,
            cache_write_1h=0.20,
            cache_read=0.01,
            long_prompt_tokens=100_000,
            long_prompt_factor=5,
        ),
        "claude-haiku-4-5": Price(input=1, output=5, cache_write_5m=1.25, cache_write_1h=2, cache_read=0.10),
        "claude-sonnet-5-5": Price(input=2, output=10, cache_write_5m=2.50, cache_write_1h=4, cache_read=0.10),
    },
)


def load_prices(path: Path | None = None) -> Prices:
    """The built-in table, or the one in a JSON file. Raises SettingsInvalid where the file is missing or wrong."""
    if path is None:
        return BUILT_IN
    try:
        table = _Table.model_validate_json(path.read_bytes())
    except OSError as cause:
        raise SettingsInvalid(f"PRICES_FILE '{path}' cannot be read; check its name and who may read it.") from cause
    except ValidationError as cause:
        first = cause.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        what = f"{where}: {first['msg']}" if where else first["msg"]
        raise SettingsInvalid(f"PRICES_FILE '{path}' is not a price table ({what}).") from cause
    return Prices(table.as_of, table.models)
