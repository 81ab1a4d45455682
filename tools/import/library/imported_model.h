// An imported model as the library stores it: without constants, which are in the C API model.
#pragma once

#include "tools/import/cache_note.h"
#include "tools/import/description.h"
#include "tools/import/load_network.h"
#include "tools/import/nn_handles.h"

#include <neural_network_runtime/nnrt_import.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct OH_NNRt_ImportedModel {
  nnrt::import::ModelHandle model;  // null if only a description was read
  nnrt::import::Description description;
  std::vector<std::string> operations;  // human-readable names
  nnrt::import::Bytes cache_note;

  // The description, encoded at the first call. Thread safe.
  const nnrt::import::Bytes& encoded() const;

 private:
  mutable std::once_flag once_;
  mutable nnrt::import::Bytes encoded_;
};

namespace nnrt::import {

// `name` identifies the source in errors; it is the file's path.
Result<std::unique_ptr<OH_NNRt_ImportedModel>> import_model(Result<LoadedFile> file, std::string_view name);

// Fails if a structure size matches no version, or if a pointer is missing.
Result<Options> read_options(const OH_NNRt_ImportOptions* options);

// What the options say about a cache of the model. Empty: no identity.
Result<std::optional<CacheKey>> read_cache_key(const OH_NNRt_ImportOptions* options, std::string_view path);

// Fills in as much of `info` as its size allows.
Status describe(const Tensor& tensor, OH_NNRt_TensorInfo& info);

}  // namespace nnrt::import
