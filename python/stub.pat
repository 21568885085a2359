# What every signature of tensorspec._core may name.
tensorspec._core.__prefix__:
    # Written by nanobind's stubgen; tests/python/test_stubs.py says how.
    from tensorspec.errors import Error
    from tensorspec.ranges import Range
    from tensorspec.types import Column, ColumnTensors, Path, Paths, RangeLike, Tensors
