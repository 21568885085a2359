# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)
import coremltools as ct
import numpy as np

inputs = [
    ct.TensorType(name="input_ids", shape=(ct.RangeDim(lower_bound=1, upper_bound=8, default=4), ct.RangeDim(lower_bound=1, upper_bound=512, default=128)), dtype=np.int32),
    ct.TensorType(name="attention_mask", shape=(ct.RangeDim(lower_bound=1, upper_bound=8, default=4), ct.RangeDim(lower_bound=1, upper_bound=1023, default=256)), dtype=np.int32),
    ct.TensorType(name="pixel", shape=(ct.RangeDim(lower_bound=1, upper_bound=8, default=4), 3, ct.RangeDim(lower_bound=64, upper_bound=512, default=224), ct.RangeDim(lower_bound=64, upper_bound=512, default=224)), dtype=np.float32),
]
