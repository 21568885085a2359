# torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
import torch
from torch.export import Dim

n = Dim("n", min=0)
seq_4 = Dim("seq_4", min=0)

# pair[0] is m+4*seq_4+2, which Dim cannot say; torch infers it from the model or leaves it free:
#   torch._check(pair[0] == m+4*seq_4+2)
dynamic_shapes = {
    "ids": {0: n, 1: 4 * seq_4 + 2},
    "window": {0: n, 1: 2 * seq_4 + 1},
    "pair": {0: Dim.DYNAMIC(min=3)},
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "ids": ((2, 10), torch.int64),
    "window": ((2, 5), torch.float32),
    "pair": ((74, 2), torch.float32),
}
