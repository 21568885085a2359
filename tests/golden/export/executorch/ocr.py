# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()
import torch
from torch.export import Dim

batch = Dim("batch", min=1, max=6)
s0 = Dim("s0", min=320, max=1603)

dynamic_shapes = {
    "x": {0: batch, 3: s0},
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "x": ((6, 3, 48, 320), torch.float32),
}
