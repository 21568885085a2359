# torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
import torch
from torch.export import Dim

batch = Dim("batch", min=1, max=5)
s0 = Dim("s0", min=96, max=448)
s1 = Dim("s1", min=112, max=512)

dynamic_shapes = {
    "pixel_values": {0: batch, 2: s0, 3: s1},
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "pixel_values": ((2, 3, 224, 224), torch.float32),
}
