# model = reshape(openvino.Core().read_model("model.onnx"))
shapes = {
    "input:0": "[1..4,5..21]",
    "a b": "[1..4,3..11]",
    "say \"hi\" 'there'": "[5..21]",
    "größe,x": "[1..4,2]",
    "class": "[3..11]",
    "x/y:1": "[1..4]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
