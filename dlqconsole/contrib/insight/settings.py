"""The settings of insight."""

from pydantic import BaseModel, Field


class FeatureSettings(BaseModel):
    """How many successes are kept as samples, and for how long."""

    DLQ_SAMPLE_ONE_IN: int = Field(
        200,
        ge=0,
        le=1_000_000,
        description="successes of an event type for each stored [sample](insight.md); 0: no samples",
    )
    DLQ_SAMPLE_DAYS: int = Field(14, ge=1, le=3_650, description="days that samples are kept")
