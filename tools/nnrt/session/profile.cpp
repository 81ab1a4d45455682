#include "tools/nnrt/session/profile.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace nnrt::tool {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOperatorPrefix = "OH_NN_OPS_";

struct Span {
  double begin = 0, duration = 0;  // microseconds
};

bool is_call_of_run(const Json& event) {
  return event.value("cat", "") == "api" && event.value("name", "") == "OH_NNExecutor_RunSync";
}

// The runs that count, in the order of time.
std::vector<Span> counted_runs(const Json& events, unsigned warmup) {
  std::vector<Span> runs;
  for (const Json& event : events) {
    if (is_call_of_run(event)) runs.push_back({event.at("ts"), event.at("dur")});
  }
  std::ranges::sort(runs, {}, &Span::begin);
  runs.erase(runs.begin(), runs.begin() + std::min<std::ptrdiff_t>(warmup, std::ssize(runs)));
  return runs;
}

std::string without_prefix(std::string op) {
  if (op.starts_with(kOperatorPrefix)) op.erase(0, kOperatorPrefix.size());
  return op;
}

// Post-ops are named behind their operation: "CONV2D+ADD+RELU".
OperationTime first_sight(const Json& args) {
  OperationTime time;
  time.operation = args.at("operation");
  time.op = without_prefix(args.at("operator"));
  for (const Json& step : args.value("post_ops", Json::array()))
    time.op.append("+").append(without_prefix(step));
  time.device = args.at("device");
  time.dtype = args.at("dtype");
  const Json& outputs = args.at("outputs");
  if (!outputs.empty()) time.shapes = to_string(outputs[0].get<Shape>());
  return time;
}

Result<Profile> from_events(const Json& events, unsigned warmup) {
  const std::vector<Span> runs = counted_runs(events, warmup);
  if (runs.empty()) return Error{Code::failed, "The trace has no run that counts."};
  std::map<size_t, OperationTime> operations;
  for (const Json& event : events) {
    const auto args = event.find("args");
    if (args == event.end() || !args->contains("operation") || event.value("ph", "") != "X") continue;
    if (event.at("ts").get<double>() < runs.front().begin) continue;
    OperationTime& time =
        operations.try_emplace(args->at("operation").get<size_t>(), first_sight(*args)).first->second;
    time.ms += event.at("dur").get<double>() / 1000;
    time.flops += args->value("flops", 0.0);
    time.bytes += args->value("bytes", 0.0);
  }
  Profile profile;
  profile.runs = runs.size();
  const auto count = static_cast<double>(runs.size());
  for (const Span& run : runs) profile.run_ms += run.duration / 1000 / count;
  for (auto& [operation, time] : operations) {
    time.ms /= count;
    time.flops /= count;
    time.bytes /= count;
    profile.operations.push_back(std::move(time));
  }
  return profile;
}

}  // namespace

double Profile::operations_ms() const {
  return std::accumulate(operations.begin(), operations.end(), 0.0,
                         [](double sum, const OperationTime& time) { return sum + time.ms; });
}

Result<Profile> read_trace(const Bytes& file, unsigned warmup) {
  const auto* begin = reinterpret_cast<const char*>(file.data());
  try {
    return from_events(Json::parse(begin, begin + file.size()).at("traceEvents"), warmup);
  } catch (const Json::exception& error) {
    return Error{Code::failed, cat("The trace cannot be read: ", error.what())};
  }
}

Result<Profile> profile(const ModelFile& file, const Device& device, std::span<const Array> inputs,
                        ProfileOptions options, const std::filesystem::path& trace) {
  options.build.trace = trace.string();
  options.build.cache.clear();  // what comes from there knows nothing of operations
  {
    NNRT_ASSIGN(const Executable executable, Executable::build(file, device, options.build));
    NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
    for (unsigned i = 0; i < options.warmup + options.runs; ++i) NNRT_TRY(runner.run());
  }  // the trace is complete when the executor is gone
  NNRT_ASSIGN(const Bytes text, read_file(trace));
  return read_trace(text, options.warmup);
}

}  // namespace nnrt::tool
