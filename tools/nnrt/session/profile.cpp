#include "tools/nnrt/session/profile.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/repeat.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace nnrt::tool {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOperatorPrefix = "OH_NN_OPS_";

struct TracedRun {
  uint64_t number = 0;
  double begin = 0, duration = 0;  // microseconds
};

// The measured runs, in order of time. The trace may contain runs of other models.
std::vector<TracedRun> counted_runs(const Json& events, unsigned warmup) {
  std::vector<TracedRun> runs;
  for (const Json& event : events) {
    if (event.value("cat", "") != "run" || !event.at("args").value("own", false)) continue;
    runs.push_back({event.at("args").at("run"), event.at("ts"), event.at("dur")});
  }
  std::ranges::sort(runs, {}, &TracedRun::begin);
  runs.erase(runs.begin(), runs.begin() + std::min<std::ptrdiff_t>(warmup, std::ssize(runs)));
  return runs;
}

std::string without_prefix(std::string op) {
  if (op.starts_with(kOperatorPrefix)) op.erase(0, kOperatorPrefix.size());
  return op;
}

// All operators that a kernel computes: "CONV2D+ADD+RELU".
NodeTime described(const Json& args) {
  NodeTime node;
  for (const Json& before : args.value("included", Json::array()))
    node.op.append(without_prefix(before)).append("+");
  node.op += without_prefix(args.at("operator"));
  for (const Json& step : args.value("post_ops", Json::array()))
    node.op.append("+").append(without_prefix(step));
  node.device = args.at("device");
  node.dtype = args.at("dtype");
  const Json& outputs = args.at("outputs");
  if (!outputs.empty()) node.shapes = to_string(outputs[0].get<Shape>());
  return node;
}

// Finds the same node from an earlier run or dispatch.
NodeTime& find_or_add(std::vector<NodeTime>& nodes, NodeTime node) {
  const auto same = [&](const NodeTime& other) {
    return other.op == node.op && other.device == node.device && other.dtype == node.dtype &&
           other.shapes == node.shapes;
  };
  const auto found = std::ranges::find_if(nodes, same);
  return found != nodes.end() ? *found : nodes.emplace_back(std::move(node));
}

void add_operations(std::vector<size_t>& known, const Json& args) {
  for (const Json& operation : args.value("fused", Json::array())) {
    const auto number = operation.get<size_t>();
    if (std::ranges::find(known, number) == known.end()) known.push_back(number);
  }
}

void add_event(std::map<size_t, OperationTime>& operations, const Json& event, const Json& args) {
  const auto number = args.at("operation").get<size_t>();
  OperationTime& time = operations.try_emplace(number, OperationTime{number, {number}, {}, {}}).first->second;
  const Work work{event.at("dur").get<double>() / 1000, args.value("flops", 0.0), args.value("bytes", 0.0)};
  time.work.add(work);
  find_or_add(time.nodes, described(args)).work.add(work);
  add_operations(time.operations, args);
}

Result<Profile> from_events(const Json& events, unsigned warmup) {
  const std::vector<TracedRun> runs = counted_runs(events, warmup);
  if (runs.empty()) return Error{Code::failed, "The trace contains no complete run."};
  const auto count = static_cast<double>(runs.size());
  std::map<size_t, OperationTime> operations;
  for (const Json& event : events) {
    const auto args = event.find("args");
    if (args == event.end() || !args->contains("operation") || event.value("ph", "") != "X") continue;
    const uint64_t number = args->value("run", uint64_t{0});
    if (std::ranges::find(runs, number, &TracedRun::number) == runs.end()) continue;
    add_event(operations, event, *args);
  }
  Profile profile;
  profile.runs = runs.size();
  for (const TracedRun& run : runs) profile.run_ms += run.duration / 1000 / count;
  for (auto& [operation, time] : operations) {
    time.work.divide(count);
    for (NodeTime& node : time.nodes) node.work.divide(count);
    profile.operations.push_back(std::move(time));
  }
  return profile;
}

}  // namespace

double Profile::operations_ms() const {
  return std::accumulate(operations.begin(), operations.end(), 0.0,
                         [](double sum, const OperationTime& time) { return sum + time.work.ms; });
}

const NodeTime& OperationTime::main_node() const {
  const auto weight = [](const NodeTime& node) { return std::pair(node.work.flops, node.work.ms); };
  return *std::ranges::max_element(nodes, {}, weight);
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
  unsigned done = 0;
  options.build.cache.clear();  // a cached model does not know its operations
  {
    NNRT_ASSIGN(const Executable executable, Executable::build(file, device, options.build));
    NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
    NNRT_TRY(repeat("running on " + device.name, options.warmup + options.runs, [&] {
      ++done;
      return runner.run();
    }));
  }  // destroying the executor completes the trace
  NNRT_ASSIGN(const Bytes text, read_file(trace));
  // If Ctrl-C came during the warm-up, its last run counts.
  return read_trace(text, std::min(options.warmup, done - 1));
}

}  // namespace nnrt::tool
