# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'sample[2..10,4,40..112,16..104],timestep[2..10],encoder_hidden_states[2..10,77,768]'
shapes = {
    "sample": "[2..10,4,40..112,16..104]",
    "timestep": "[2..10]",
    "encoder_hidden_states": "[2..10,77,768]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
