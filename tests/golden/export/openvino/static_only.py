# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'image[1,3,8,8]'
shapes = {
    "image": "[1,3,8,8]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
