// The devices of a plan, as options for the core's compiler.
#pragma once

#include "core/runtime/compile.h"
#include "nnapi/plan/execution_plan.h"

#include <memory>

namespace nnrt::nnapi {

struct CompileTarget {
  Device* chosen = nullptr;
  Device* fallback = nullptr;  // null if the client chose the devices: there is no silent fallback
  CompileOptions options;
  std::string cache_directory, cache_name;  // empty: no cache
  std::shared_ptr<Device> owned;            // an auto device over the client's devices
};

Result<CompileTarget> compile_target(const Target& target, bool relaxed);

}  // namespace nnrt::nnapi
