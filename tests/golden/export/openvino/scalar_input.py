# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'input[1..16,288..576],state[2,1..16,128],sr[]'
shapes = {
    "input": "[1..16,288..576]",
    "state": "[2,1..16,128]",
    "sr": "[]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
