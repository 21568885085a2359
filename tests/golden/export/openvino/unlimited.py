# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'ids[?,2..],window[?,1..],pair[3..,2]'
shapes = {
    "ids": "[?,2..]",
    "window": "[?,1..]",
    "pair": "[3..,2]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
