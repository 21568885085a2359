# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)
import coremltools as ct
import numpy as np

inputs = [
    ct.TensorType(name="input_0", shape=(ct.RangeDim(lower_bound=1, upper_bound=4, default=2), ct.RangeDim(lower_bound=5, upper_bound=21, default=8)), dtype=np.float32),
    ct.TensorType(name="a_b", shape=(ct.RangeDim(lower_bound=1, upper_bound=4, default=2), ct.RangeDim(lower_bound=3, upper_bound=11, default=3)), dtype=np.int32),
    ct.TensorType(name="say__hi___there_", shape=(ct.RangeDim(lower_bound=5, upper_bound=21, default=8),), dtype=np.float32),
    ct.TensorType(name="gr____e_x", shape=(ct.RangeDim(lower_bound=1, upper_bound=4, default=2), 2), dtype=np.float32),
    ct.TensorType(name="class", shape=(ct.RangeDim(lower_bound=3, upper_bound=11, default=3),), dtype=np.int32),
    ct.TensorType(name="x_y_1", shape=(ct.RangeDim(lower_bound=1, upper_bound=4, default=2),), dtype=np.float32),
]
