# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()
import torch
from torch.export import Dim

batch = Dim("batch", min=1, max=16)
s0 = Dim("s0", min=288, max=576)

dynamic_shapes = {
    "input": {0: batch, 1: s0},
    "state": {1: batch},
    "sr": None,
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "input": ((2, 576), torch.float32),
    "state": ((2, 2, 128), torch.float32),
    "sr": ((), torch.int64),
}
