// Logits from a few bits a weight, which say what tokens are worth a look at their weights as they
// are.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "models/nibble_matrix.h"
#include "models/precision.h"
#include "models/quantised.h"
#include "models/tensor.h"
#include "models/thread_pool.h"
#include "models/weight_blocks.h"
#include "models/weights.h"

namespace wnpu::decoder {

class VocabularyScreen {
 public:
  // Of the tokens of `embedding` [n, n_text_state]: 8 bits a weight for fp32, else 4. Rounding
  // moves a logit of tiny.en on speech by 0.04 or 0.25 (root mean square), and the logarithm of the
  // sum of a softmax, whose 32 largest terms are exact, by 0.0001 or 0.004. `pool` must outlive it.
  // Throws ModelError for a NaN or infinity.
  VocabularyScreen(const models::WeightTensor& embedding, models::ThreadPool& pool,
                   models::Precision precision, std::size_t max_rows);

  // logits [rows, n] of hidden states [at most max_rows, n_text_state].
  void project(models::ConstMatrixView hidden, models::MatrixView logits);

 private:
  // Hidden states have 16 bits here.
  struct Bytes {
    std::vector<float> balance;  // [n_text_state]: the weights are times this
    models::QuantisedMatrix weights;
    models::Matrix balanced;  // hidden states / balance
    models::QuantisedRows hidden;
  };
  struct Nibbles {
    models::NibbleMatrix weights;
    models::OctetRows hidden;
  };
  void fill(Bytes& screen, models::WeightBlocks& blocks) const;
  static void fill(Nibbles& screen, models::WeightBlocks& blocks);

  models::ThreadPool& pool_;
  std::variant<Bytes, Nibbles> screen_;  // weights [n_text_state, n]
};

}  // namespace wnpu::decoder
