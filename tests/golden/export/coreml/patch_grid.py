# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)
import coremltools as ct
import numpy as np

inputs = [
    ct.TensorType(name="pixel_values", shape=(ct.RangeDim(lower_bound=1, upper_bound=5, default=1), 3, ct.RangeDim(lower_bound=96, upper_bound=448, default=224), ct.RangeDim(lower_bound=112, upper_bound=512, default=224)), dtype=np.float32),
]
