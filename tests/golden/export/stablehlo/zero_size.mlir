// argument 0: hidden_states
// argument 1: attention_mask
// argument 2: past_key_values
// argument 3: never_used
// result 0: presents
func.func private @main(tensor<?x?x64xf32, #stablehlo.bounds<4, 11, ?>>, tensor<?x1x?x?xi1, #stablehlo.bounds<4, ?, 11, 24>>, tensor<2x?x?x4x16xf32, #stablehlo.bounds<?, 4, 13, ?, ?>>, tensor<?x0xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x?x?x4x16xf32, #stablehlo.bounds<?, 4, 24, ?, ?>>
