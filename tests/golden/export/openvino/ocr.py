# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'x[1..6,3,48,320..1603]'
shapes = {
    "x": "[1..6,3,48,320..1603]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
