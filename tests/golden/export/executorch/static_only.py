# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()
import torch
from torch.export import Dim

dynamic_shapes = {
    "image": None,
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "image": ((1, 3, 8, 8), torch.uint8),
}
