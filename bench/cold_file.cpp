// Measures the first inference from a model file, once, in a fresh process, as a client of libnnrt_import.so.
// Reports milliseconds per phase, CPU time and memory as a JSON object. `report/cold_files.py` runs it.
//   cold_file MODEL DEVICE [--cache DIRECTORY] [--since NANOSECONDS]
// DEVICE: cpu, gpu. --since: CLOCK_MONOTONIC when the process was started.
#include "network_runner.h"
#include "process_memory.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string model, device, cache;
  int64_t since = 0;
};

double cpu_milliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) { return double(time.tv_sec) * 1e3 + double(time.tv_usec) / 1e3; };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// Milliseconds between calls.
class Phases {
 public:
  explicit Phases(Clock::time_point start) : last_(start) {}
  double next() {
    const auto now = Clock::now(), from = std::exchange(last_, now);
    return std::chrono::duration<double, std::milli>(now - from).count();
  }

 private:
  Clock::time_point last_;
};

Json measure(const Options& options, Clock::time_point start) {
  Phases phases(start);
  const double start_ms = phases.next();
  const size_t device = bench::find_device(options.device);
  const double devices_ms = phases.next();
  auto model = std::make_unique<bench::ImportedModel>(options.model, options.cache);
  const double import_ms = phases.next();
  const bool imported = model->network() != nullptr;
  const std::vector<std::byte> note(model->note().begin(), model->note().end());
  bench::NetworkRunner runner(
      model->network(), device,
      {.cache = options.cache, .note = note, .steady = false, .on_taken = [&] { model.reset(); }});
  const double build_ms = phases.next();
  runner.fill_inputs(1);
  phases.next();  // a client has its inputs; making them up is not counted
  runner.run();
  const double run_ms = phases.next();
  Json result{{"start_ms", start_ms + devices_ms},
              {"import_ms", import_ms},
              {"build_ms", build_ms},
              {"imported", imported},
              {"run_ms", run_ms},
              {"total_ms", start_ms + devices_ms + import_ms + build_ms + run_ms},
              {"cpu_ms", cpu_milliseconds()},
              {"peak_mb", bench::megabytes("VmHWM:")}};
  phases.next();
  runner.run();
  result["second_run_ms"] = phases.next();
  result["steady_mb"] = bench::megabytes("VmRSS:");
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const auto started = Clock::now();
  Options options;
  CLI::App app("Measures the first inference from a model file.");
  app.add_option("MODEL", options.model)->required();
  app.add_option("DEVICE", options.device)->required();
  app.add_option("--cache", options.cache);
  app.add_option("--since", options.since);
  CLI11_PARSE(app, argc, argv);
  try {
    const Clock::time_point since{std::chrono::nanoseconds(options.since)};
    std::printf("%s\n", measure(options, options.since == 0 ? started : since).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
