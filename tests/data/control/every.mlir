module {
 aie.device(npu1) {
  memref.global "private" constant @every_words_1 : memref<3xi32> = dense<[1, -1, 7]>
  memref.global "private" constant @every_words_3 : memref<8xi32> = dense<[256, 0, 0, 0, -2147483648, 0, 0, 33554432]>
  memref.global "private" constant @every_words_2 : memref<8xi32> = dense<[2048, 131072, 0, 0, 0, 0, 395263, -2126381248]>
  aie.runtime_sequence @every(%input: memref<4096xi8>, %key_values: memref<8192xi8>) {
   %c0 = arith.constant 0 : i32
   %c1 = arith.constant 1 : i32
   %c2 = arith.constant 2 : i32
   %c3 = arith.constant 3 : i32
   %c7 = arith.constant 7 : i32
   %c63 = arith.constant 63 : i32
   %c3840 = arith.constant 3840 : i32
   %c4096 = arith.constant 4096 : i32
   %c7936 = arith.constant 7936 : i32
   %c204800 = arith.constant 204800 : i32
   %c67228188 = arith.constant 67228188 : i32
   %c102368768 = arith.constant 102368768 : i32
   %c102368772 = arith.constant 102368772 : i32
   %c102498384 = arith.constant 102498384 : i32
   %c134217728 = arith.constant 134217728 : i32
   %c2147483651 = arith.constant -2147483645 : i32
   %c2164195328 = arith.constant -2130771968 : i32
   %c4294967295 = arith.constant -1 : i32
   %every_words_1 = memref.get_global @every_words_1 : memref<3xi32>
   %every_words_3 = memref.get_global @every_words_3 : memref<8xi32>
   %every_words_2 = memref.get_global @every_words_2 : memref<8xi32>
   // mem(3,0) lock 5
   aiex.npu.write32(%c102498384, %c63) : i32, i32
   aiex.npu.blockwrite(%every_words_1) {address = 38797376 : ui32} : memref<3xi32>
   // mem(3,0) descriptor 0
   aiex.npu.blockwrite(%every_words_2) {address = 102367232 : ui32} : memref<8xi32>
   // mem(3,0) s2mm 0 tokens
   aiex.npu.maskwrite32(%c102368768, %c3840, %c7936) : i32, i32, i32
   // mem(3,0) s2mm 0 task: descriptor 0, 256 times
   aiex.npu.write32(%c102368772, %c2164195328) : i32, i32
   // shim(2,0) descriptor 3
   aiex.npu.blockwrite(%every_words_3) {address = 67227744 : ui32} : memref<8xi32>
   aiex.npu.address_patch(%c4096 : i32) {addr = 67227748 : ui32, arg_idx = 1 : i32}
   // shim(2,0) mm2s 1 task: descriptor 3, 1 times
   aiex.npu.write32(%c67228188, %c2147483651) : i32, i32
   // shim(2,0) descriptor 4
   aiex.npu.blockwrite(%every_words_3) {address = 67227776 : ui32} : memref<8xi32>
   aiex.npu.write32(%c134217728, %c4294967295) : i32, i32
   aiex.npu.maskwrite32(%c204800, %c3, %c7) : i32, i32, i32
   // shim(2,0) mm2s 1 wait
   aiex.npu.sync(%c2, %c0, %c1, %c1, %c1, %c1) : i32, i32, i32, i32, i32, i32
   // mem(3,0) s2mm 0 wait
   aiex.npu.sync(%c3, %c1, %c0, %c0, %c2, %c1) : i32, i32, i32, i32, i32, i32
  }
 }
}
