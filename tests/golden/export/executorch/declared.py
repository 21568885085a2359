# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()
import torch
from torch.export import Dim

batch = Dim("batch", min=1, max=8)
seq = Dim("seq", min=1, max=512)
h = Dim("h", min=8, max=64)
w = Dim("w", min=8, max=64)

# attention_mask[1] is past+seq, which Dim cannot say; torch infers it from the model or leaves it free:
#   torch._check(attention_mask[1] == past+seq)
dynamic_shapes = {
    "input_ids": {0: batch, 1: seq},
    "attention_mask": {0: batch, 1: Dim.DYNAMIC(min=1, max=1023)},
    "pixel": {0: batch, 2: 8 * h, 3: 8 * w},
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "input_ids": ((4, 128), torch.int64),
    "attention_mask": ((4, 256), torch.int64),
    "pixel": ((4, 3, 224, 224), torch.float32),
}
