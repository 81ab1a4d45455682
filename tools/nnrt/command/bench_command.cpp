#include "core/base/text.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/measurement.h"
#include "tools/nnrt/command/standard_input.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <iostream>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kMaxSeconds = 7 * 24 * 3600;

struct BenchOptions {
  MeasureOptions measure;
  std::vector<std::string> devices;
  uint32_t threads = 0;  // 0: one per core
  bool json = false;
};

void print_table(const Json& results) {
  std::vector<Table::Column> columns{{""}};
  for (const Json& result : results)
    columns.push_back({short_name(result["device"].get<std::string>()), Table::Align::right, true});
  Table table(std::move(columns));
  const auto add = [&](const std::string& title, const auto& cell) {
    std::vector<std::string> row{title};
    for (const Json& result : results) row.push_back(cell(result));
    table.add(std::move(row));
  };
  // Null if Ctrl-C came before the first measured run.
  const auto time = [](const char* key) {
    return [key](const Json& result) {
      const Json& ms = result["latency_ms"][key];
      return ms.is_number() ? duration(ms.get<double>()) : "";
    };
  };
  add("build", [](const Json& result) { return duration(result["build_ms"].get<double>()); });
  add("first run", [](const Json& result) { return duration(result["first_run_ms"].get<double>()); });
  add("latency p50", time("p50"));
  add("latency p90", time("p90"));
  add("latency p99", time("p99"));
  add("runs", [](const Json& result) { return std::to_string(result["runs"].get<size_t>()); });
  add("runs per second", [](const Json& result) {
    const Json& rate = result["runs_per_second"];
    return rate.is_number() ? fixed(rate.get<double>(), 1) : "";
  });
  add("peak memory",
      [](const Json& result) { return byte_size(result["peak_memory_bytes"].get<uint64_t>()); });
  table.print(std::cout);
}

Status bench_model(const BenchOptions& options) {
  // Read by the library in the measuring process.
  if (options.threads > 0) setenv("NNRT_THREADS", std::to_string(options.threads).c_str(), 1);
  Json results = Json::array();
  Status failure;
  for (const std::string& device : options.devices) {
    auto result = measure(options.measure, device);
    if (result.ok()) {
      results.push_back(std::move(result).value());
    } else if (failure.ok()) {  // the other devices are still reported
      failure = std::move(result).error();
    }
    if (interrupted()) break;
  }
  if (results.empty()) return failure;
  const MeasureOptions& measured = options.measure;
  if (options.json) {
    print_json(std::cout, {{"model", measured.model.model}, {"results", results}});
    return failure;
  }
  const std::string extent =
      measured.seconds > 0 ? fixed(measured.seconds, 1) + " s of runs" : cat(measured.runs, " runs");
  std::cout << measured.model.model << ", " << extent << (measured.executors > 1 ? " by each of " : "")
            << (measured.executors > 1 ? std::to_string(measured.executors) + " executors" : "") << "\n\n";
  print_table(results);
  return failure;
}

}  // namespace

void add_bench(CommandLine& app, Action& action) {
  const auto options = std::make_shared<BenchOptions>();
  CommandLine command = app.command("bench", "Measures a model: latency, throughput, build time, memory");
  ModelOptions& model = options->measure.model;
  add_model_options(command, model);
  add_input_options(command, model);
  command.option("-d,--device,--devices", options->devices, "Devices to compare: gpu,cpu")
      .separated_by(',')
      .one_value()
      .type_name("DEVICE[,DEVICE]")
      .when_given([&model] { model.device_given = true; });
  command.option("--runs", options->measure.runs, "Number of measured runs")
      .positive()
      .max(kMaxRuns)
      .shows_default();
  command.option("--duration", options->measure.seconds, "Run for this long instead of --runs times")
      .positive()
      .max(kMaxSeconds)
      .type_name("SECONDS");
  command.option("--threads", options->threads, "Threads of the CPU device; default: one per core")
      .between(1, 256);
  command.option("--warmup", options->measure.warmup, "Number of warm-up runs").max(kMaxRuns).shows_default();
  command.option("--executors", options->measure.executors, "Number of executors that run concurrently")
      .between(1, 256)
      .shows_default();
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt bench mobilenet.tflite --devices gpu,cpu --executors 4");
  set_model_action(command, action, options->measure.model, [options] {
    if (options->devices.empty()) options->devices = {options->measure.model.device};
    return bench_model(*options);
  });
}

}  // namespace nnrt::tool
