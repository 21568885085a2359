# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()
import torch
from torch.export import Dim

batch = Dim("batch", min=1, max=4)
lambda_ = Dim("lambda_", min=1, max=11)
s1 = Dim("s1", min=0, max=13)

# attention_mask[3] is lambda_+s1, which Dim cannot say; torch infers it from the model or leaves it free:
#   torch._check(attention_mask[3] == lambda_+s1)
dynamic_shapes = {
    "hidden_states": {0: batch, 1: lambda_},
    "attention_mask": {0: batch, 2: lambda_, 3: Dim.DYNAMIC(min=1, max=24)},
    "past_key_values": {1: batch, 2: s1},
    "never_used": {0: batch},
}

# A call to trace: a conforming size of every input, no varying axis below 2.
example_shapes = {
    "hidden_states": ((2, 11, 64), torch.float32),
    "attention_mask": ((2, 1, 11, 13), torch.bool),
    "past_key_values": ((2, 2, 2, 4, 16), torch.float32),
    "never_used": ((2, 0), torch.float32),
}
