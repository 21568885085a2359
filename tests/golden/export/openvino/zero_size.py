# model = reshape(openvino.Core().read_model("model.onnx"))
# ovc model.onnx --input 'hidden_states[1..4,1..11,64],attention_mask[1..4,1,1..11,1..24],past_key_values[2,1..4,0..13,4,16],never_used[1..4,0]'
shapes = {
    "hidden_states": "[1..4,1..11,64]",
    "attention_mask": "[1..4,1,1..11,1..24]",
    "past_key_values": "[2,1..4,0..13,4,16]",
    "never_used": "[1..4,0]",
}


def reshape(model):
    import openvino

    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    return model
