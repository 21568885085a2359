// argument 0: input:0
// argument 1: a b
// argument 2: say "hi" 'there'
// argument 3: größe,x
// argument 4: class
// argument 5: x/y:1
// result 0: out:0
func.func private @main(tensor<?x?xf32, #stablehlo.bounds<4, 21>>, tensor<?x?xi32, #stablehlo.bounds<4, 11>>, tensor<?xf32, #stablehlo.bounds<21>>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<?xi1, #stablehlo.bounds<11>>, tensor<?xf64, #stablehlo.bounds<4>>) -> tensor<?x?xf32, #stablehlo.bounds<4, 21>>
