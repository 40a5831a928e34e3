#include "npu/portable/nnef_text.h"

namespace wnpu::npu {

const std::string_view kNnefLayer = R"(version 1.0;

# A layer of Whisper's encoder: states plus attention, then plus the MLP. Weights are [in, out].
graph layer( states ) -> ( result )
{
    states = external<scalar>(shape = [$M, $W]);
$VARIABLES
    mean, variance = moments(states, axes = [1]);
    normed = div(sub(states, mean), sqrt(add(variance, 0.00001)));
    scaled = add(mul(normed, attn_gain), attn_bias);

    q = mul(add(matmul(scaled, wq), bq), $S);
    k = matmul(scaled, wk);
    v = add(matmul(scaled, wv), bv);
    queries = transpose(reshape(q, shape = [$M, $H, $D]), axes = [1, 0, 2]);
    keys = transpose(reshape(k, shape = [$M, $H, $D]), axes = [1, 0, 2]);
    values = transpose(reshape(v, shape = [$M, $H, $D]), axes = [1, 0, 2]);
    shares = softmax(matmul(queries, keys, transposeB = true), axes = [2]);
    seen = reshape(transpose(matmul(shares, values), axes = [1, 0, 2]), shape = [$M, $W]);
    between = add(states, add(matmul(seen, wo), bo));

    mean_between, variance_between = moments(between, axes = [1]);
    normed_between = div(sub(between, mean_between), sqrt(add(variance_between, 0.00001)));
    scaled_between = add(mul(normed_between, mlp_gain), mlp_bias);
    active = gelu(add(matmul(scaled_between, w1), b1));
    result = add(between, add(matmul(active, w2), b2));
}
)";

const std::string_view kNnefReadme = R"(# A layer of Whisper's encoder in NNEF

`graph.nnef` says what a fused layer computes: $M frames of width $W, $H heads of $D, an MLP of $F; the
structure alone, without values of its variables. NNEF has no erf, and where its tools lower `gelu` they take
x sigmoid(1.702 x), up to 0.02 from Whisper's x (1 + erf(x / sqrt 2)) / 2: what takes `gelu` as an operator has to
compute the latter. The exact statement is the one of `npu emit --dialect linalg`.

    python -c 'import nnef; nnef.infer_shapes(nnef.parse_file("graph.nnef"))'       # nnef of PyPI
)";

}  // namespace wnpu::npu
