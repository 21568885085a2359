// argument 0: pixel_values
// result 0: tokens
// result 1: pooled
func.func private @main(tensor<?x3x?x?xf32, #stablehlo.bounds<5, ?, 448, 512>>) -> (tensor<?x?x384xf32, #stablehlo.bounds<5, 897, ?>>, tensor<?x384xf32, #stablehlo.bounds<5, ?>>)
