# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)
import coremltools as ct
import numpy as np

inputs = [
    ct.TensorType(name="image", shape=(1, 3, 8, 8), dtype=np.int32),
]
