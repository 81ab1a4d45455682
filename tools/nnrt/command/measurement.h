// Measurement of a model on one device, in a process of its own: nothing is warm, and the peak of memory is
// its.
#pragma once

#include "tools/nnrt/command/command_options.h"

#include <nlohmann/json_fwd.hpp>

namespace nnrt::tool {

struct MeasureOptions {
  ModelOptions model;
  unsigned runs = 50, warmup = 5, executors = 1;
  double seconds = 0;  // for so long instead of `runs` times; 0: it does not count
};

// A JSON object: device, build_ms, first_run_ms, latency_ms {p50, p90, p99, mean}, runs_per_second,
// executors, runs, peak_memory_bytes. Where Ctrl-C came before the first run that counts, its latencies are
// null.
Result<nlohmann::ordered_json> measure(const MeasureOptions& options, const std::string& device);

}  // namespace nnrt::tool
