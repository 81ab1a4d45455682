// Measures the first inference from a model file, once, in a fresh process, as a client of libnnrt_import.so.
// Reports milliseconds per phase, CPU time and memory as a JSON object. `report/cold_files.py` runs it.
//   cold_file MODEL DEVICE [--cache DIRECTORY] [--since NANOSECONDS]
// DEVICE: cpu, gpu. --since: CLOCK_MONOTONIC when the process was started.
#include "network_runner.h"
#include "process_memory.h"

#include <neural_network_runtime/nnrt_extensions.h>
#include <neural_network_runtime/nnrt_import.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
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

// Read from the file, or with a current cache only described by its note.
class ImportedModel {
 public:
  ImportedModel(const std::string& path, const std::string& cache) {
    const OH_NNRt_ImportOptions options{
        sizeof options, nullptr, 0, cache.empty() ? OH_NNRT_IDENTITY_NONE : OH_NNRT_IDENTITY_FILE, nullptr};
    const std::vector<std::byte> note =
        cache.empty() ? std::vector<std::byte>() : read_note(cache + "/0.nncache");
    if (!note.empty() && OH_NNRt_ImportFromCacheNote(path.c_str(), &options, note.data(), note.size(),
                                                     &model_) == OH_NN_SUCCESS)
      return;
    if (OH_NNRt_ImportModel(path.c_str(), &options, &model_) != OH_NN_SUCCESS)
      throw std::runtime_error(OH_NNRt_GetImportError());
    conformance::check(OH_NNRt_ImportedModel_GetModel(model_, &network_), "OH_NNRt_ImportedModel_GetModel");
  }
  ~ImportedModel() { OH_NNRt_ImportedModel_Destroy(&model_); }
  ImportedModel(const ImportedModel&) = delete;
  ImportedModel& operator=(const ImportedModel&) = delete;

  const OH_NNModel* network() const { return network_; }  // null: in the cache
  std::span<const std::byte> note() const {
    const void* note = nullptr;
    size_t size = 0;
    conformance::check(OH_NNRt_ImportedModel_GetCacheNote(model_, &note, &size),
                       "OH_NNRt_ImportedModel_GetCacheNote");
    return {static_cast<const std::byte*>(note), size};
  }

 private:
  static std::vector<std::byte> read_note(const std::string& container) {
    size_t size = 0;
    if (!std::filesystem::exists(container)) return {};
    if (OH_NNRt_GetModelNote(container.c_str(), nullptr, 0, &size) != OH_NN_SUCCESS) return {};
    std::vector<std::byte> note(size);
    conformance::check(OH_NNRt_GetModelNote(container.c_str(), note.data(), note.size(), &size),
                       "OH_NNRt_GetModelNote");
    return note;
  }

  OH_NNRt_ImportedModel* model_ = nullptr;
  const OH_NNModel* network_ = nullptr;
};

// Opens no driver for the CPU.
size_t find_device(const std::string& kind) {
  size_t id = 0;
  conformance::check(OH_NNRt_FindDevice(kind == "cpu" ? OH_NN_CPU : OH_NN_GPU, &id), "OH_NNRt_FindDevice");
  return id;
}

Json measure(const Options& options, Clock::time_point start) {
  Phases phases(start);
  const double start_ms = phases.next();
  const size_t device = find_device(options.device);
  const double devices_ms = phases.next();
  auto model = std::make_unique<ImportedModel>(options.model, options.cache);
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
