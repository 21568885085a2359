// argument 0: sample
// argument 1: timestep
// argument 2: encoder_hidden_states
// result 0: noise
func.func private @main(tensor<?x4x?x?xf16, #stablehlo.bounds<10, ?, 112, 104>>, tensor<?xf32, #stablehlo.bounds<10>>, tensor<?x77x768xf16, #stablehlo.bounds<10, ?, ?>>) -> tensor<?x4x?x?xf16, #stablehlo.bounds<10, ?, 112, 104>>
