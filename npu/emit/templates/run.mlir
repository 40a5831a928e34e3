
// Behind layer.mlir once that is bufferized; values.c has the two functions.
func.func private @read_values(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @write_values(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
$ARGUMENTS  %result = func.call @layer($NAMES)
      : ($TYPES) -> memref<$Mx$Wxf32>
  %written = memref.cast %result : memref<$Mx$Wxf32> to memref<*xf32>
  func.call @write_values(%written) : (memref<*xf32>) -> ()
  return
}
