// argument 0: image
// result 0: label
func.func private @main(tensor<1x3x8x8xui8>) -> tensor<1xi64>
