-- What stood there before is not kept: nothing could read it.
SELECT 1;
