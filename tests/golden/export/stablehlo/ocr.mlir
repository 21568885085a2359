// argument 0: x
// result 0: softmax_11.tmp_0
func.func private @main(tensor<?x3x48x?xf32, #stablehlo.bounds<6, ?, ?, 1603>>) -> tensor<?x?x6625xf32, #stablehlo.bounds<6, 200, ?>>
