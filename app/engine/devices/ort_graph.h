// The encoder as an ONNX graph of one window, made when it is first wanted and kept in the cache
// folder.
#pragma once

#include <filesystem>
#include <string>

#include "app/engine/loaded_model.h"

namespace wnpu::app {

// Folder with encoder_model.onnx of the model, its matrices in `weights` ("fp32", "fp16"):
// model_folder()/ort/<model>-<hash of its path and weights>. A model whose file has another size or
// time than the graph's source, or other weights, gets a new one in its place. Throws
// npu::DeviceError where it cannot be written.
std::filesystem::path ort_graph_folder(const LoadedModel& model, const std::string& weights);

}  // namespace wnpu::app
