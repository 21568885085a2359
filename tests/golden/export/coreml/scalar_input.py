# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)
import coremltools as ct
import numpy as np

inputs = [
    ct.TensorType(name="input", shape=(ct.RangeDim(lower_bound=1, upper_bound=16, default=1), ct.RangeDim(lower_bound=288, upper_bound=576, default=576)), dtype=np.float32),
    ct.TensorType(name="state", shape=(2, ct.RangeDim(lower_bound=1, upper_bound=16, default=1), 128), dtype=np.float32),
    ct.TensorType(name="sr", shape=(1,), dtype=np.int32),
]
