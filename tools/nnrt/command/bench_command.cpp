#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/progress.h"
#include "tools/nnrt/base/statistics.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <sstream>
#include <thread>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

struct MeasureOptions {
  ModelOptions model;
  unsigned runs = 50, warmup = 5, executors = 1;
  double seconds = 0;  // run for this long instead of `runs` times; 0: use `runs`
};

// Runs one executor in its own thread.
struct Worker {
  Runner runner;
  std::vector<double> ms;
  Status status;

  void run(unsigned runs, double seconds, Progress* progress) {
    const Stopwatch begun;
    for (unsigned i = 0;
         (seconds > 0 ? begun.ms() < seconds * 1000 : i < runs) && status.ok() && !interrupted(); ++i) {
      const Stopwatch stopwatch;
      status = runner.run();
      ms.push_back(stopwatch.ms());
      if (progress != nullptr) progress->step();
    }
  }
};

Result<std::vector<Worker>> make_workers(const Executable& executable, std::span<const Array> inputs,
                                         unsigned count) {
  std::vector<Worker> workers;
  for (unsigned i = 0; i < count; ++i) {
    NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
    workers.push_back({std::move(runner), {}, {}});
  }
  return workers;
}

// Runs all executors `runs` times each, or for `seconds`; returns the total time.
Result<double> run_workers(std::vector<Worker>& workers, unsigned runs, double seconds, Progress* progress) {
  const Stopwatch stopwatch;
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < workers.size(); ++i)
      threads.emplace_back([&, i] { workers[i].run(runs, seconds, nullptr); });
    workers[0].run(runs, seconds, progress);
  }
  const double ms = stopwatch.ms();
  for (Worker& worker : workers) NNRT_TRY(std::move(worker.status));
  return ms;
}

Result<double> first_run(Runner& runner, const Device& device) {
  const Progress progress("first run on " + device.name);
  const Stopwatch stopwatch;
  NNRT_TRY(runner.run());
  return stopwatch.ms();
}

Status warm_up(std::vector<Worker>& workers, unsigned runs, const Device& device) {
  Progress progress("warming up on " + device.name, runs);
  NNRT_ASSIGN(const double ms, run_workers(workers, runs, 0, &progress));
  static_cast<void>(ms);
  for (Worker& worker : workers) worker.ms.clear();
  return {};
}

Result<double> run_counted(std::vector<Worker>& workers, const MeasureOptions& options,
                           const Device& device) {
  const bool is_counted = options.seconds <= 0;
  Progress progress(
      "running on " + device.name + (is_counted ? "" : ", of " + fixed(options.seconds, 1) + " s"),
      is_counted ? options.runs : 0);
  return run_workers(workers, options.runs, options.seconds, &progress);
}

// `tell` receives the device's name before the device is used.
Result<Json> measure_here(const MeasureOptions& options, const std::string& wanted,
                          const std::function<void(const std::string&)>& tell) {
  expect_steady_runs();
  ModelOptions model = options.model;
  model.device = wanted;
  NNRT_ASSIGN(const ReadyModel ready, make_ready(model, [&](const Device& chosen) { tell(chosen.name); }));
  const auto& [file, executable] = ready;
  const Device& device = executable.device();
  NNRT_ASSIGN(const std::vector<Input> inputs, inputs_for(model, file, executable.inputs()));
  const std::vector<Array> arrays = arrays_of(inputs);
  NNRT_ASSIGN(std::vector<Worker> workers, make_workers(executable, arrays, options.executors));

  NNRT_ASSIGN(const double first_ms, first_run(workers[0].runner, device));
  const CatchInterrupts catches;
  NNRT_TRY(warm_up(workers, options.warmup, device));
  NNRT_ASSIGN(const double total_ms, run_counted(workers, options, device));

  std::vector<double> samples;
  for (const Worker& worker : workers) samples.insert(samples.end(), worker.ms.begin(), worker.ms.end());
  return Json{{"device", device.name},
              {"build_ms", executable.build_ms()},
              {"first_run_ms", first_ms},
              {"latency_ms",
               {{"p50", percentile(samples, 0.5)},
                {"p90", percentile(samples, 0.9)},
                {"p99", percentile(samples, 0.99)},
                {"mean", mean(samples)}}},
              {"runs_per_second", static_cast<double>(samples.size()) / total_ms * 1000},
              {"executors", options.executors},
              {"runs", samples.size()},
              {"peak_memory_bytes", peak_memory()}};
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

void write_line(int fd, const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = write(fd, text.data() + done, text.size() - done);
    if (put < 0 && errno != EINTR) break;
    done += static_cast<size_t>(std::max<ssize_t>(put, 0));
  }
}

// Runs in the child. Writes one line with the device's name as soon as it is known, and one line of JSON:
// the result, or an object with the error.
[[noreturn]] void answer(const MeasureOptions& options, const std::string& device, int fd) {
  Json json;
  try {
    auto measured = measure_here(options, device, [fd](const std::string& name) { write_line(fd, name); });
    json = measured.ok() ? std::move(measured).value()
                         : Json{{"error", measured.error().message}, {"code", measured.error().code}};
  } catch (const std::exception& error) {  // such as bad_alloc
    json = {{"error", error.what()}, {"code", Code::memory}};
  }
  write_line(fd, json);
  _exit(0);  // drivers crash in exit handlers
}

struct ChildAnswer {
  std::string device;
  Json json;  // null if the child ended without a result
};

ChildAnswer parse_answer(const std::string& text, const std::string& wanted) {
  ChildAnswer answer{wanted, {}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_string()) {
      answer.device = json.get<std::string>();
    } else {
      answer.json = std::move(json);
    }
  }
  return answer;
}

// "was ended by signal 6 (Aborted)"
std::string end_of(int status) {
  if (!WIFSIGNALED(status)) return cat("exited with ", WEXITSTATUS(status), " and without an answer");
  const int signal = WTERMSIG(status);
  return cat("was ended by signal ", signal, " (", strsignal(signal), ")");
}

// Measures a model on one device in a child process, so that it starts cold and has its own memory peak.
// Returns a JSON object: device, build_ms, first_run_ms, latency_ms {p50, p90, p99, mean}, runs_per_second,
// executors, runs, peak_memory_bytes. Latencies are null if Ctrl-C came before the first measured run.
Result<Json> measure(const MeasureOptions& options, const std::string& device) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return Error{Code::failed, "A pipe cannot be created."};
  std::cout.flush();
  const CatchInterrupts catches;
  const pid_t child = fork_interruptible();
  if (child < 0) return Error{Code::failed, "A process cannot be created."};
  if (child == 0) {
    close(ends[0]);
    answer(options, device, ends[1]);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);  // an interrupted child reports what it has
  close(ends[0]);
  const int status = wait_for_child(child);
  ChildAnswer answer = parse_answer(text, device);
  if (!answer.json.is_object() && interrupted())
    return Error{Code::failed, cat("Nothing was measured on ", answer.device, " before the interruption.")};
  if (!answer.json.is_object())
    return Error{Code::failed, cat("The measurement on ", answer.device, " ", end_of(status), ".")};
  if (answer.json.contains("error") && answer.device.empty())
    return Error{answer.json["code"].get<Code>(), answer.json["error"].get<std::string>()};
  if (answer.json.contains("error")) {
    return Error{answer.json["code"].get<Code>(),
                 cat(answer.json["error"].get<std::string>(), " While measuring on ", answer.device, ".")};
  }
  return std::move(answer.json);
}

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
      measured.seconds > 0 ? fixed(measured.seconds, 1) + " s of runs" : counted(measured.runs, "run");
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
