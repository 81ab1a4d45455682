// Measures a model on one device in a child process, so that it starts cold and has its own memory peak.
#pragma once

#include "tools/nnrt/command/command_options.h"

#include <nlohmann/json_fwd.hpp>

namespace nnrt::tool {

struct MeasureOptions {
  ModelOptions model;
  unsigned runs = 50, warmup = 5, executors = 1;
  double seconds = 0;  // run for this long instead of `runs` times; 0: use `runs`
};

// A JSON object: device, build_ms, first_run_ms, latency_ms {p50, p90, p99, mean}, runs_per_second,
// executors, runs, peak_memory_bytes. Latencies are null if Ctrl-C came before the first measured run.
Result<nlohmann::ordered_json> measure(const MeasureOptions& options, const std::string& device);

}  // namespace nnrt::tool
