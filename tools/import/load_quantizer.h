// Creates quantizers for model files of any supported format.
#pragma once

#include "tools/import/model_quantizer.h"
#include "tools/import/network/import_options.h"

#include <filesystem>
#include <memory>

namespace nnrt::import {

// `float_nodes` lists nodes that stay float, by node name (by first output if nodes are unnamed) or operator
// type. Fails if the model is not a float model, is already quantized, or has nothing to quantize. The result
// is written in the format of `output`.
Result<std::unique_ptr<ModelQuantizer>> read_quantizer(const std::filesystem::path& path,
                                                       const std::filesystem::path& output,
                                                       const std::vector<std::string>& float_nodes,
                                                       const Options& options = {});

}  // namespace nnrt::import
