# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()
import torch
from torch.export import Dim

batch = Dim("batch", min=1, max=5)
s0 = Dim("s0", min=40, max=112)
s1 = Dim("s1", min=16, max=104)

dynamic_shapes = {
    "sample": {0: 2 * batch, 2: s0, 3: s1},
    "timestep": {0: 2 * batch},
    "encoder_hidden_states": {0: 2 * batch},
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "sample": ((4, 4, 64, 64), torch.float16),
    "timestep": ((4,), torch.float32),
    "encoder_hidden_states": ((4, 77, 768), torch.float16),
}
