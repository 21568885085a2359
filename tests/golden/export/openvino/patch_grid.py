# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'pixel_values[1..5,3,96..448,112..512]'
shapes = {
    "pixel_values": "[1..5,3,96..448,112..512]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
