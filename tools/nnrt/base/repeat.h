// Repeated measurements.
#pragma once

#include "core/base/result.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/progress.h"

#include <string>

namespace nnrt::tool {

// Calls `run` up to `times` times, until it fails or Ctrl-C; at least once, so that there is a result.
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
