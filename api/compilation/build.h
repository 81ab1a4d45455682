// Builds a configured compilation.
#pragma once

#include "api/base/api_handles.h"

namespace nnrt {

struct BuildResult {
  std::shared_ptr<trace::Session> trace;  // null: none
  // `compiled` has everything that a cache needs, unless the client will not export one.
  std::shared_ptr<const CompiledModel> compiled, for_runs;
};

// Releases the compilation's model. Error codes are those of OH_NNCompilation_Build (api.md 11.2).
Result<BuildResult> build(OH_NNCompilation& compilation);

// Returns whether ExportCacheToBuffer may be called after Build.
bool may_export(const OH_NNCompilation& compilation);

// An error if the feature is wanted and the device lacks it, or does not report it.
Status require_feature(const Device& device, Feature feature, bool wanted);

}  // namespace nnrt
