// A model file of any format that this library reads.
#pragma once

#include "tools/import/network/import_options.h"

#include <filesystem>

namespace nnrt::import {

// The first bytes decide about the format, then the extension. Fails where the file cannot be read as a
// model, where it has an operator that OH_NN cannot express (the message names each), and, with
// Code::invalid_parameter, which nothing else has, where `options` name an input that the model lacks, or
// give a shape that it cannot have.
Result<Network> load(const std::filesystem::path& path, const Options& options = {});

}  // namespace nnrt::import
