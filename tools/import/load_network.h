// A model file of any format that this library reads.
#pragma once

#include "tools/import/network/import_options.h"

#include <filesystem>

namespace nnrt::import {

// The first bytes decide about the format, then the extension. Fails where the file cannot be read as a
// model, where it has an operator that OH_NN cannot express (the message names each), and, with
// Code::invalid_parameter, which nothing else has, where `given` names an input that the model lacks, or
// gives a shape that it cannot have. A shape without a name is meant for the file's only input.
Result<Network> load(const std::filesystem::path& path, const Options& given = {});

}  // namespace nnrt::import
