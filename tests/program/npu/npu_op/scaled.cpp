// An operator from outside, y = 3 x, that npu_op_test.sh compiles, once as it is and once for each
// thing that a library can do wrong.
#include <cmath>
#include <stdexcept>
#include <whisper_npu_operator.h>

namespace {

template <typename T>
int scaled(const whisper_npu_operator_call* call) {
  const T* const x = static_cast<const T*>(call->inputs[0]);
  T* const y = static_cast<T*>(call->outputs[0]);
  const std::size_t n = call->sizes[0];
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<T>(call->attributes[0]) * x[i];
  return 0;
}

int reference(const whisper_npu_operator_call* call) {
  [[maybe_unused]] float* const y = static_cast<float*>(call->outputs[0]);
  [[maybe_unused]] const std::size_t n = call->sizes[0];
#if defined(FAILS)
  return 7;
#elif defined(THROWS)
  throw std::runtime_error("not here");
#elif defined(WRITES_NOTHING)
  return 0;
#endif
  const int result = scaled<float>(call);
#if defined(WRITES_NAN)
  y[n - 1] = std::nanf("");
#elif defined(WRITES_BEHIND)
  y[n] = 0;
#elif defined(IS_WRONG)
  y[n - 1] *= 1.01f;
#endif
  return result;
}

const whisper_npu_operator_size kSizes[] = {{"elements", 16, 1024}};
const whisper_npu_operator_attribute kAttributes[] = {{"factor", 3, "that x is multiplied with"}};
const whisper_npu_operand kInputs[] = {{"x", WHISPER_NPU_BFLOAT16, 0, -1, 0, 0, 0, 0}};
#if defined(NO_SUCH_SIZE)
const whisper_npu_operand kOutputs[] = {{"y", WHISPER_NPU_BFLOAT16, 1, -1, 0, 0, 0, 1e-6}};
#else
const whisper_npu_operand kOutputs[] = {{"y", WHISPER_NPU_BFLOAT16, 0, -1, 0, 0, 0, 1e-6}};
#endif

whisper_npu_operator make_operator() {
  whisper_npu_operator op = {};
  op.size = sizeof op;
#if defined(WRONG_SIZE)
  op.size = 24;
#endif
  op.version = WHISPER_NPU_OPERATOR_VERSION;
#if defined(WRONG_VERSION)
  op.version += 1;
#endif
  op.name = "scaled";
#if defined(TAKES_A_NAME)
  op.name = "gelu";
#elif defined(BAD_NAME)
  op.name = "3 x";
#endif
  op.summary = "y = factor x";
  op.sizes = kSizes;
  op.n_sizes = 1;
  op.attributes = kAttributes;
  op.n_attributes = 1;
  op.inputs = kInputs;
  op.n_inputs = 1;
  op.outputs = kOutputs;
  op.n_outputs = 1;
  op.largest = 1e37;
  op.keeps_nan = 1;
  op.exact = scaled<double>;
  op.reference = reference;
#if defined(NO_REFERENCE)
  op.reference = nullptr;
#endif
  return op;
}

}  // namespace

#if !defined(NO_ENTRY)
extern "C" const whisper_npu_operator* whisper_npu_operator_entry(uint64_t version) {
#if defined(KNOWS_ANOTHER_VERSION)
  if (version == WHISPER_NPU_OPERATOR_VERSION) return nullptr;
#endif
  static const whisper_npu_operator kOperator = make_operator();
  return version == WHISPER_NPU_OPERATOR_VERSION ? &kOperator : nullptr;
}
#endif
