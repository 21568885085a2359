// argument 0: input_ids
// argument 1: attention_mask
// argument 2: pixel
// result 0: logits
func.func private @main(tensor<?x?xi64, #stablehlo.bounds<8, 512>>, tensor<?x?xi64, #stablehlo.bounds<8, 1023>>, tensor<?x3x?x?xf32, #stablehlo.bounds<8, ?, 512, 512>>) -> tensor<?x?x32000xf32, #stablehlo.bounds<8, 512, ?>>
