# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()
import torch
from torch.export import Dim

batch = Dim("batch", min=1, max=4)
max = Dim("max", min=5, max=21)
class_ = Dim("class_", min=3, max=11)

dynamic_shapes = {
    "input:0": {0: batch, 1: max},
    "a b": {0: batch, 1: class_},
    "say \"hi\" 'there'": {0: max},
    "größe,x": {0: batch},
    "class": {0: class_},
    "x/y:1": {0: batch},
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "input:0": ((2, 8), torch.float32),
    "a b": ((2, 3), torch.int32),
    "say \"hi\" 'there'": ((8,), torch.float32),
    "größe,x": ((2, 2), torch.float32),
    "class": ((3,), torch.bool),
    "x/y:1": ((2,), torch.float64),
}
