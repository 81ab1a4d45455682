// Quantizers of model files of any format that this library reads.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"

#include <filesystem>
#include <memory>
#include <span>

namespace nnrt::import {

// `float_nodes` are names of nodes (of their first outputs, where nodes have no names), or types of
// operators, that stay floats. Fails where the file is no model of floats, where it is quantized already, or
// where it has nothing that could be. `external_folders` are those of import::Options.
Result<std::unique_ptr<ModelQuantizer>> read_quantizer(
    const std::filesystem::path& path, const std::vector<std::string>& float_nodes,
    const std::vector<std::filesystem::path>& external_folders = {});

// The model file with these values, as its quantizer names them, as its outputs instead of its own.
Result<std::string> with_outputs(const std::string& file, std::span<const std::string> values);

}  // namespace nnrt::import
