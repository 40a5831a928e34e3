// A layer of Whisper's encoder, in fp32: states plus attention, then plus the MLP.
// @layer is the whole; the functions before it are what it is made of.
#frame = affine_map<(m, w) -> (m)>
#column = affine_map<(m, w) -> (w)>
#both = affine_map<(m, w) -> (m, w)>
#by_heads = affine_map<(h, m, d) -> (m, h * $D + d)>
#head = affine_map<(h, m, d) -> (h, m, d)>
#joined = affine_map<(m, w) -> (w floordiv $D, m, w mod $D)>
#query = affine_map<(h, m, n, d) -> (h, m, d)>
#key = affine_map<(h, m, n, d) -> (h, n, d)>
#score = affine_map<(h, m, n, d) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>
#scores = affine_map<(h, m, n) -> (h, m, n)>

// (x - mean) / sqrt(variance + 1e-5) * gain + bias, by frames.
func.func @layer_norm(%x: tensor<$Mx$Wxf32>, %gain: tensor<$Wxf32>, %bias: tensor<$Wxf32>) -> tensor<$Mx$Wxf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant $N : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %frames = tensor.empty() : tensor<$Mxf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%frames : tensor<$Mxf32>) -> tensor<$Mxf32>
  %sums = linalg.generic {indexing_maps = [#both, #frame], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Mx$Wxf32>) outs(%zeros : tensor<$Mxf32>) {
  ^bb0(%v: f32, %sum: f32):
    %more = arith.addf %sum, %v : f32
    linalg.yield %more : f32
  } -> tensor<$Mxf32>
  %squares = linalg.generic {indexing_maps = [#both, #frame, #frame], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sums : tensor<$Mx$Wxf32>, tensor<$Mxf32>) outs(%zeros : tensor<$Mxf32>) {
  ^bb0(%v: f32, %total: f32, %sum: f32):
    %mean = arith.divf %total, %n : f32
    %centred = arith.subf %v, %mean : f32
    %square = arith.mulf %centred, %centred : f32
    %more = arith.addf %sum, %square : f32
    linalg.yield %more : f32
  } -> tensor<$Mxf32>
  %empty = tensor.empty() : tensor<$Mx$Wxf32>
  %y = linalg.generic {indexing_maps = [#both, #frame, #frame, #column, #column, #both], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums, %squares, %gain, %bias : tensor<$Mx$Wxf32>, tensor<$Mxf32>, tensor<$Mxf32>, tensor<$Wxf32>, tensor<$Wxf32>)
      outs(%empty : tensor<$Mx$Wxf32>) {
  ^bb0(%v: f32, %total: f32, %square: f32, %g: f32, %b: f32, %old: f32):
    %mean = arith.divf %total, %n : f32
    %centred = arith.subf %v, %mean : f32
    %variance = arith.divf %square, %n : f32
    %safe = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %safe : f32
    %normed = arith.divf %centred, %deviation : f32
    %scaled = arith.mulf %normed, %g : f32
    %result = arith.addf %scaled, %b : f32
    linalg.yield %result : f32
  } -> tensor<$Mx$Wxf32>
  return %y : tensor<$Mx$Wxf32>
}

// A bias in every frame: what a product is added to.
func.func @bias(%bias: tensor<$Wxf32>) -> tensor<$Mx$Wxf32> {
  %empty = tensor.empty() : tensor<$Mx$Wxf32>
  %rows = linalg.generic {indexing_maps = [#column, #both], iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<$Wxf32>) outs(%empty : tensor<$Mx$Wxf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  } -> tensor<$Mx$Wxf32>
  return %rows : tensor<$Mx$Wxf32>
}

// Columns of a frame by heads, times a number.
func.func @heads(%x: tensor<$Mx$Wxf32>, %scale: f32) -> tensor<$Hx$Mx$Dxf32> {
  %empty = tensor.empty() : tensor<$Hx$Mx$Dxf32>
  %y = linalg.generic {indexing_maps = [#by_heads, #head], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<$Mx$Wxf32>) outs(%empty : tensor<$Hx$Mx$Dxf32>) {
  ^bb0(%v: f32, %old: f32):
    %scaled = arith.mulf %v, %scale : f32
    linalg.yield %scaled : f32
  } -> tensor<$Hx$Mx$Dxf32>
  return %y : tensor<$Hx$Mx$Dxf32>
}

// softmax over the last extent.
func.func @softmax(%x: tensor<$Hx$Mx$Mxf32>) -> tensor<$Hx$Mx$Mxf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant -3.40282347E+38 : f32
  %rows = tensor.empty() : tensor<$Hx$Mxf32>
  %lowest = linalg.fill ins(%least : f32) outs(%rows : tensor<$Hx$Mxf32>) -> tensor<$Hx$Mxf32>
  %largest = linalg.generic {indexing_maps = [#scores, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<$Hx$Mx$Mxf32>) outs(%lowest : tensor<$Hx$Mxf32>) {
  ^bb0(%v: f32, %most: f32):
    %is_more = arith.cmpf ogt, %v, %most : f32
    %more = arith.select %is_more, %v, %most : f32
    linalg.yield %more : f32
  } -> tensor<$Hx$Mxf32>
  %empty = tensor.empty() : tensor<$Hx$Mx$Mxf32>
  %powers = linalg.generic {indexing_maps = [#scores, #row, #scores], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %largest : tensor<$Hx$Mx$Mxf32>, tensor<$Hx$Mxf32>) outs(%empty : tensor<$Hx$Mx$Mxf32>) {
  ^bb0(%v: f32, %most: f32, %old: f32):
    %below = arith.subf %v, %most : f32
    %power = math.exp %below : f32
    linalg.yield %power : f32
  } -> tensor<$Hx$Mx$Mxf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<$Hx$Mxf32>) -> tensor<$Hx$Mxf32>
  %sums = linalg.generic {indexing_maps = [#scores, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<$Hx$Mx$Mxf32>) outs(%zeros : tensor<$Hx$Mxf32>) {
  ^bb0(%v: f32, %sum: f32):
    %more = arith.addf %sum, %v : f32
    linalg.yield %more : f32
  } -> tensor<$Hx$Mxf32>
  %y = linalg.generic {indexing_maps = [#scores, #row, #scores], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%powers, %sums : tensor<$Hx$Mx$Mxf32>, tensor<$Hx$Mxf32>) outs(%empty : tensor<$Hx$Mx$Mxf32>) {
  ^bb0(%v: f32, %sum: f32, %old: f32):
    %share = arith.divf %v, %sum : f32
    linalg.yield %share : f32
  } -> tensor<$Hx$Mx$Mxf32>
  return %y : tensor<$Hx$Mx$Mxf32>
}

// softmax(q k^T / sqrt($D)) v by heads, side by side again.
func.func @attention(%q: tensor<$Mx$Wxf32>, %k: tensor<$Mx$Wxf32>, %v: tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %scale = arith.constant $S : f32
  %queries = func.call @heads(%q, %scale) : (tensor<$Mx$Wxf32>, f32) -> tensor<$Hx$Mx$Dxf32>
  %keys = func.call @heads(%k, %one) : (tensor<$Mx$Wxf32>, f32) -> tensor<$Hx$Mx$Dxf32>
  %values = func.call @heads(%v, %one) : (tensor<$Mx$Wxf32>, f32) -> tensor<$Hx$Mx$Dxf32>
  %empty = tensor.empty() : tensor<$Hx$Mx$Mxf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<$Hx$Mx$Mxf32>) -> tensor<$Hx$Mx$Mxf32>
  %scores = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%queries, %keys : tensor<$Hx$Mx$Dxf32>, tensor<$Hx$Mx$Dxf32>) outs(%zeros : tensor<$Hx$Mx$Mxf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<$Hx$Mx$Mxf32>
  %shares = func.call @softmax(%scores) : (tensor<$Hx$Mx$Mxf32>) -> tensor<$Hx$Mx$Mxf32>
  %nothing = tensor.empty() : tensor<$Hx$Mx$Dxf32>
  %start = linalg.fill ins(%zero : f32) outs(%nothing : tensor<$Hx$Mx$Dxf32>) -> tensor<$Hx$Mx$Dxf32>
  %seen = linalg.batch_matmul ins(%shares, %values : tensor<$Hx$Mx$Mxf32>, tensor<$Hx$Mx$Dxf32>)
      outs(%start : tensor<$Hx$Mx$Dxf32>) -> tensor<$Hx$Mx$Dxf32>
  %side = tensor.empty() : tensor<$Mx$Wxf32>
  %y = linalg.generic {indexing_maps = [#joined, #both], iterator_types = ["parallel", "parallel"]}
      ins(%seen : tensor<$Hx$Mx$Dxf32>) outs(%side : tensor<$Mx$Wxf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<$Mx$Wxf32>
  return %y : tensor<$Mx$Wxf32>
}

// x (1 + erf(x / sqrt 2)) / 2
func.func @gelu(%x: tensor<$Mx$Fxf32>) -> tensor<$Mx$Fxf32> {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.707106781 : f32
  %empty = tensor.empty() : tensor<$Mx$Fxf32>
  %y = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<$Mx$Fxf32>) outs(%empty : tensor<$Mx$Fxf32>) {
  ^bb0(%v: f32, %old: f32):
    %scaled = arith.mulf %v, %root : f32
    %erf = math.erf %scaled : f32
    %sum = arith.addf %erf, %one : f32
    %product = arith.mulf %v, %sum : f32
    %result = arith.mulf %product, %half : f32
    linalg.yield %result : f32
  } -> tensor<$Mx$Fxf32>
  return %y : tensor<$Mx$Fxf32>
}

func.func @sum(%x: tensor<$Mx$Wxf32>, %y: tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32> {
  %empty = tensor.empty() : tensor<$Mx$Wxf32>
  %z = linalg.generic {indexing_maps = [#both, #both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<$Mx$Wxf32>, tensor<$Mx$Wxf32>) outs(%empty : tensor<$Mx$Wxf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<$Mx$Wxf32>
  return %z : tensor<$Mx$Wxf32>
}

// Weights are [in, out]. Keys have no bias.
func.func @layer(%states: tensor<$Mx$Wxf32>,
    %attn_gain: tensor<$Wxf32>, %attn_bias: tensor<$Wxf32>,
    %wq: tensor<$Wx$Wxf32>, %bq: tensor<$Wxf32>, %wk: tensor<$Wx$Wxf32>,
    %wv: tensor<$Wx$Wxf32>, %bv: tensor<$Wxf32>, %wo: tensor<$Wx$Wxf32>, %bo: tensor<$Wxf32>,
    %mlp_gain: tensor<$Wxf32>, %mlp_bias: tensor<$Wxf32>,
    %w1: tensor<$Wx$Fxf32>, %b1: tensor<$Fxf32>, %w2: tensor<$Fx$Wxf32>, %b2: tensor<$Wxf32>) -> tensor<$Mx$Wxf32> {
  %zero = arith.constant 0.0 : f32
  %normed = func.call @layer_norm(%states, %attn_gain, %attn_bias) : (tensor<$Mx$Wxf32>, tensor<$Wxf32>, tensor<$Wxf32>) -> tensor<$Mx$Wxf32>
  %rows_q = func.call @bias(%bq) : (tensor<$Wxf32>) -> tensor<$Mx$Wxf32>
  %q = linalg.matmul ins(%normed, %wq : tensor<$Mx$Wxf32>, tensor<$Wx$Wxf32>) outs(%rows_q : tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %empty = tensor.empty() : tensor<$Mx$Wxf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %k = linalg.matmul ins(%normed, %wk : tensor<$Mx$Wxf32>, tensor<$Wx$Wxf32>) outs(%zeros : tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %rows_v = func.call @bias(%bv) : (tensor<$Wxf32>) -> tensor<$Mx$Wxf32>
  %v = linalg.matmul ins(%normed, %wv : tensor<$Mx$Wxf32>, tensor<$Wx$Wxf32>) outs(%rows_v : tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %seen = func.call @attention(%q, %k, %v) : (tensor<$Mx$Wxf32>, tensor<$Mx$Wxf32>, tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %rows_o = func.call @bias(%bo) : (tensor<$Wxf32>) -> tensor<$Mx$Wxf32>
  %attended = linalg.matmul ins(%seen, %wo : tensor<$Mx$Wxf32>, tensor<$Wx$Wxf32>) outs(%rows_o : tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %between = func.call @sum(%states, %attended) : (tensor<$Mx$Wxf32>, tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %again = func.call @layer_norm(%between, %mlp_gain, %mlp_bias) : (tensor<$Mx$Wxf32>, tensor<$Wxf32>, tensor<$Wxf32>) -> tensor<$Mx$Wxf32>
  %nothing = tensor.empty() : tensor<$Mx$Fxf32>
  %rows_1 = linalg.generic {indexing_maps = [#column, #both], iterator_types = ["parallel", "parallel"]}
      ins(%b1 : tensor<$Fxf32>) outs(%nothing : tensor<$Mx$Fxf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  } -> tensor<$Mx$Fxf32>
  %wide = linalg.matmul ins(%again, %w1 : tensor<$Mx$Wxf32>, tensor<$Wx$Fxf32>) outs(%rows_1 : tensor<$Mx$Fxf32>) -> tensor<$Mx$Fxf32>
  %active = func.call @gelu(%wide) : (tensor<$Mx$Fxf32>) -> tensor<$Mx$Fxf32>
  %rows_2 = func.call @bias(%b2) : (tensor<$Wxf32>) -> tensor<$Mx$Wxf32>
  %narrow = linalg.matmul ins(%active, %w2 : tensor<$Mx$Fxf32>, tensor<$Fx$Wxf32>) outs(%rows_2 : tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  %result = func.call @sum(%between, %narrow) : (tensor<$Mx$Wxf32>, tensor<$Mx$Wxf32>) -> tensor<$Mx$Wxf32>
  return %result : tensor<$Mx$Wxf32>
}
