"""The settings of insight."""

from pydantic import BaseModel, Field


class FeatureSettings(BaseModel):
    """The number of successes that are kept as samples, and their time."""

    DLQ_SAMPLE_ONE_IN: int = Field(
        200,
        ge=0,
        le=1_000_000,
        description="successes of an event type for each stored [sample](insight.md); 0: no samples",
    )
    DLQ_SAMPLE_DAYS: int = Field(14, ge=1, le=3_650, description="days that samples are kept")
