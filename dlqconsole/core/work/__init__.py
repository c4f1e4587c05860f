"""The statements of long work: the items of an operation, the runs of the pipeline."""
