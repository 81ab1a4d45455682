// From a configured compilation to a compiled model.
#pragma once

#include "api/handles.h"

#include <string_view>

namespace nnrt {

struct Built {
  std::shared_ptr<const CompiledModel> compiled, for_runs;  // the one with what a cache of it needs
};

// The codes are those of OH_NNCompilation_Build (api.md 11.2).
Result<Built> build(const OH_NNCompilation& compilation);

// An error where the feature is wanted and the device lacks it, or cannot tell.
Status require_feature(const Device& device, Feature feature, bool wanted);

// Whether the runtime itself reads this extension config.
bool is_known_extension(std::string_view name);

}  // namespace nnrt
