// Quantizes a float MindSpore Lite model to INT8.
#pragma once

#include "tools/import/network/import_options.h"
#include "tools/import/quantizer/model_quantizer.h"

#include <filesystem>
#include <memory>
#include <span>

namespace nnrt::import {

// See read_quantizer() for names and errors. `folder` holds external data.
Result<std::unique_ptr<ModelQuantizer>> read_mindspore_quantizer(const std::string& file,
                                                                 const std::filesystem::path& folder,
                                                                 const Options& options,
                                                                 const std::vector<std::string>& float_nodes);

// with_outputs() for .ms files.
Result<std::string> with_mindspore_outputs(const std::string& file, std::span<const std::string> values);

}  // namespace nnrt::import
