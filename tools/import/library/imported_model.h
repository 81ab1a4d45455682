// The model of a file as the library keeps it: without the constants, which the C API's model has.
#pragma once

#include "tools/import/description.h"
#include "tools/import/load_network.h"
#include "tools/import/nn_handles.h"

#include <neural_network_runtime/nnrt_import.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct OH_NNRt_ImportedModel {
  nnrt::import::ModelHandle model;  // null if only a description was read
  nnrt::import::Description description;
  std::vector<std::string> operations;  // names for people
  nnrt::import::Bytes encoded;          // the description
};

namespace nnrt::import {

// Errors name what was read: `name`, which is the path of a file.
Result<std::unique_ptr<OH_NNRt_ImportedModel>> import_model(Result<LoadedFile> file, std::string_view name);

// Fails where the sizes of structures are not those of a version, or pointers are missing.
Result<Options> read_options(const OH_NNRt_ImportOptions* options);

// Fills as much of `info` as its size says.
Status describe(const Tensor& tensor, OH_NNRt_TensorInfo& info);

}  // namespace nnrt::import
