"""Files as others pack them."""

import bz2
import gzip

import pyarrow


def zstd(content: bytes) -> bytes:
    packed = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(packed, "zstd") as opened:
        opened.write(content)
    return packed.getvalue().to_pybytes()


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstd}
