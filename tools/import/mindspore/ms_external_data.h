// Constants in files beside the model.
#pragma once

#include "mindspore/file/unpack.h"
#include "tools/import/network/budget.h"
#include "tools/import/network/import_options.h"

#include <filesystem>

namespace nnrt::import::mindspore {

// Reads external_file()s and limits what constants take. The arguments must outlive the rules.
nnrt::mindspore::UnpackRules unpack_rules(const std::filesystem::path& folder, const Options& options,
                                          ConstantBudget& budget);

}  // namespace nnrt::import::mindspore
