// Measures the first inference: one network on one device, once, in a fresh process. Reports milliseconds per
// step, memory, and the arena size next to the maximum live at any step. Run each measurement in a new
// process; with a cache directory, a second run restores what the first one saved. Prints one JSON object.
//   cold_bench NETWORK DEVICE [CACHE_DIRECTORY]     DEVICE: cpu, gpu
#include "network_runner.h"
#include "networks/networks.h"
#include "process_memory.h"

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Resets the peak, so that it covers only what follows.
void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

// Arena sizes and maximum live bytes, summed over all partitions.
Json memory_of(const Json& placement) {
  double arena = 0, live = 0;
  for (const Json& partition : placement["partitions"]) {
    arena += partition["arena"]["bytes"].get<double>();
    std::map<int64_t, double> changes;
    for (const Json& position : partition["arena"]["allocations"]) {
      changes[position["first"].get<int64_t>()] += position["bytes"].get<double>();
      changes[position["last"].get<int64_t>() + 1] -= position["bytes"].get<double>();
    }
    double now = 0, max = 0;
    for (const auto& [step, change] : changes) max = std::max(max, now += change);
    live += max;
  }
  return {{"arena_bytes", arena}, {"live_bytes", live}, {"partitions", placement["partitions"].size()}};
}

Json measure(const std::string& name, const std::string& kind, const std::string& cache) {
  const bench::Network& network = bench::network(name);
  auto description = std::make_unique<conformance::Case>(network.describe({}));
  const auto placement = std::filesystem::temp_directory_path() / std::to_string(getpid()).append(".json");
  setenv("NNRT_PLACEMENT", placement.c_str(), 1);

  const auto start = Clock::now();
  const size_t device = bench::find_device(kind);
  const double open = milliseconds_since(start);
  bench::Model model = bench::compose(*description);
  const double built = milliseconds_since(start);
  // Excludes the client's copy of the weights, and the time to free it.
  size_t weights = 0;
  for (const conformance::Tensor& tensor : description->tensors)
    weights += tensor.data ? tensor.data->size() : 0;
  const auto freeing = Clock::now();
  description.reset();
  forget_peak_memory();
  const auto built_from = Clock::now();
  const double freed = milliseconds_since(freeing);
  bench::NetworkRunner runner(model.get(), device, {.cache = cache, .steady = false});
  const double build = milliseconds_since(built_from);
  runner.fill_inputs(1);
  const auto first = Clock::now();
  runner.run();
  const double first_run = milliseconds_since(first), all = milliseconds_since(start) - freed;
  Json result{{"network", name},
              {"device", kind},
              {"restored", !cache.empty()},
              {"open_ms", open},
              {"compose_ms", built - open},
              {"build_ms", build},
              {"first_run_ms", first_run},
              {"first_inference_ms", all},
              {"peak_rss_mb", bench::megabytes("VmHWM:")}};
  std::ifstream file(placement);
  result.update(memory_of(Json::parse(file)));
  std::filesystem::remove(placement);
  const auto second = Clock::now();
  runner.run();
  result["second_run_ms"] = milliseconds_since(second);
  // Measures the memory that remains when the client keeps only its executor.
  model.reset();
  result["weights_mb"] = double(weights) / 1e6;
  result["kept_rss_mb"] = bench::megabytes("VmRSS:");
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: cold_bench NETWORK cpu|gpu [CACHE_DIRECTORY]\n");
    return 2;
  }
  try {
    std::printf("%s\n", measure(argv[1], argv[2], argc > 3 ? argv[3] : "").dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
