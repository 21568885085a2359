// argument 0: input
// argument 1: state
// argument 2: sr
// result 0: output
// result 1: stateN
func.func private @main(tensor<?x?xf32, #stablehlo.bounds<16, 576>>, tensor<2x?x128xf32, #stablehlo.bounds<?, 16, ?>>, tensor<i64>) -> (tensor<?x1xf32, #stablehlo.bounds<16, ?>>, tensor<2x?x128xf32, #stablehlo.bounds<?, 16, ?>>)
