// Creates quantizers for model files of any supported format.
#pragma once

#include "tools/import/network/import_options.h"
#include "tools/import/quantizer/model_quantizer.h"

#include <filesystem>
#include <memory>
#include <span>

namespace nnrt::import {

// `float_nodes` lists nodes that stay float, by node name (by first output if nodes are unnamed) or operator
// type. Fails if the model is not a float model, is already quantized, or has nothing to quantize.
Result<std::unique_ptr<ModelQuantizer>> read_quantizer(const std::filesystem::path& path,
                                                       const std::vector<std::string>& float_nodes,
                                                       const Options& options = {});
// Converts a model of another format than the output's first.
Result<std::unique_ptr<ModelQuantizer>> read_quantizer_to(const std::filesystem::path& output,
                                                          const std::filesystem::path& path,
                                                          const std::vector<std::string>& float_nodes,
                                                          const Options& options);

// The model file with these values (as named by its quantizer) as its only outputs.
Result<std::string> with_outputs(const std::string& file, std::span<const std::string> values);

}  // namespace nnrt::import
