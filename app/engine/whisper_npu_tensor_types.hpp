// As it is installed beside whisper_npu_tensor.hpp.
#include "../../npu/tensor/whisper_npu_tensor_types.hpp"
