// The devices of a plan, as the core compiles for them.
#pragma once

#include "core/runtime/compile.h"
#include "nnapi/plan/execution_plan.h"

#include <memory>

namespace nnrt::nnapi {

struct CompileTarget {
  Device* chosen = nullptr;
  Device* fallback = nullptr;  // null where the client named the devices: nothing moves in silence
  CompileOptions options;
  std::string cache_directory, cache_name;  // empty: nothing is kept
  std::shared_ptr<Device> owned;            // one that chooses among the client's
};

Result<CompileTarget> compile_target(const Target& target, bool relaxed);

}  // namespace nnrt::nnapi
