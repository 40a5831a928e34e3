// A quantised model as files that this program and others read.
#pragma once

#include <span>
#include <vector>

#include "models/base/folder.h"
#include "models/files/model_file.h"
#include "models/quantize/quantize.h"

namespace wnpu::models {

// A CTranslate2 folder: model.bin, config.json, vocabulary.json, and the tokenizer.json of the
// model's folder where it has one. Layers in their types; all else keeps its values.
// Throws ModelError where the model has no tokenizer. `file` must outlive the result, here and
// below.
std::vector<StreamedFile> ctranslate2_files(const ModelFile& file,
                                            const std::vector<QuantizedLayer>& layers);

// whisper.cpp's file, as ggml-model.bin: every layer in `type`, convolutions in fp16, all else in
// fp32. mel_filters: [n_mels, 201], which the format has and this program does not read. Throws
// ModelError, also where a convolution exceeds fp16.
std::vector<StreamedFile> ggml_files(const ModelFile& file, DType type,
                                     std::vector<float> mel_filters);

}  // namespace wnpu::models
