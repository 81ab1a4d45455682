// Something that is measured several times.
#pragma once

#include "core/base/result.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/progress.h"

#include <string>

namespace nnrt::tool {

// Calls `run` so often, or until it fails, or until Ctrl-C; the first call is always made, because without it
// there is nothing to say.
template <typename Run>
Status repeat(const std::string& title, unsigned times, Run run) {
  Progress progress(title, times);
  NNRT_TRY(run());
  const CatchInterrupts catches;
  for (unsigned i = 1; i < times && !interrupted(); ++i) {
    progress.step();
    NNRT_TRY(run());
  }
  return {};
}

}  // namespace nnrt::tool
