// argument 0: ids
// argument 1: window
// argument 2: pair
// result 0: y
func.func private @main(tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 64>>
