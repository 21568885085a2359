# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'input_ids[1..8,1..512],attention_mask[1..8,1..1023],pixel[1..8,3,64..512,64..512]'
shapes = {
    "input_ids": "[1..8,1..512]",
    "attention_mask": "[1..8,1..1023]",
    "pixel": "[1..8,3,64..512,64..512]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
