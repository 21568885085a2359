# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)
import coremltools as ct
import numpy as np

inputs = [
    ct.TensorType(name="sample", shape=(ct.RangeDim(lower_bound=2, upper_bound=10, default=2), 4, ct.RangeDim(lower_bound=40, upper_bound=112, default=64), ct.RangeDim(lower_bound=16, upper_bound=104, default=64)), dtype=np.float16),
    ct.TensorType(name="timestep", shape=(ct.RangeDim(lower_bound=2, upper_bound=10, default=2),), dtype=np.float32),
    ct.TensorType(name="encoder_hidden_states", shape=(ct.RangeDim(lower_bound=2, upper_bound=10, default=2), 77, 768), dtype=np.float16),
]
