# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)
import coremltools as ct
import numpy as np

inputs = [
    ct.TensorType(name="x", shape=(ct.RangeDim(lower_bound=1, upper_bound=6, default=6), 3, 48, ct.RangeDim(lower_bound=320, upper_bound=1603, default=320)), dtype=np.float32),
]
