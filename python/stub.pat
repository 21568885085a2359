# What every signature of tensorspec._core may name.
tensorspec._core.__prefix__:
    # Written by nanobind's stubgen; tests/python/test_stubs.py says how.
    from tensorspec.errors import Error
    from tensorspec.ranges import Range
    from tensorspec.types import Column, ColumnTensors, Path, Paths, RangeLike, Tensors

# What tensorspec.pretty gives the classes is no part of the module.
.*\.__(copy|deepcopy|rich_repr)__:
