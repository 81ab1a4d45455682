// Converts networks to and from conformance cases (tests/conformance/FORMAT.md).
#pragma once

#include "tools/nnrt/base/array.h"
#include "tools/nnrt/data/model_file.h"

#include <span>
#include <string>

namespace nnrt::tool {

// The first case of the file, with the inputs and outputs of its first run.
Result<ModelFile> read_case(const std::filesystem::path& path);

struct CaseRun {
  std::span<const Array> inputs, outputs;
};

// One line of JSON. Float outputs may differ by 1e-4 (absolute and relative), quantized ones by one code.
std::string write_case(const std::string& name, const std::string& oracle, const import::Network& network,
                       const CaseRun& run);

}  // namespace nnrt::tool
