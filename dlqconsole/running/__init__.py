"""The whole console under one supervisor, without a broker; its way in, and out again."""
