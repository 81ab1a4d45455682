#include "tools/nnrt/doctor/self_test.h"

#include "core/base/text.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/temporary_file.h"
#include "tools/nnrt/data/case_file.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/doctor/child.h"
#include "tools/nnrt/doctor/self_test_cases.h"
#include "tools/nnrt/session/executable.h"

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSeconds = 10;  // for all operations

std::vector<std::string> cases() {
  std::vector<std::string> lines = list_entries(kSelfTestCases, '\n');
  std::erase(lines, "");
  return lines;
}

// "conv2d" of {"name":"conv2d/f32_1x1", ...
std::string operation_of(const std::string& line) {
  const std::string name = Json::parse(line).value("name", "");
  return name.substr(0, name.find('/'));
}

// What is wrong; empty if nothing is.
Result<std::string> problem_with(const Device& device, const std::string& line, double& ms) {
  NNRT_ASSIGN(const TemporaryFile temporary, TemporaryFile::create("case.jsonl"));
  NNRT_TRY(write_file(temporary.path(), line));
  NNRT_ASSIGN(const ModelFile file, read_case(temporary.path()));
  BuildOptions build;
  build.fallback = false;  // the CPU's results would say nothing about the device
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, build));
  NNRT_ASSIGN(Runner runner, Runner::create(executable, file.inputs));
  const Stopwatch stopwatch;
  NNRT_TRY(runner.run());
  ms = stopwatch.ms();
  NNRT_ASSIGN(const std::vector<Array> got, runner.outputs());
  std::vector<OutputDifference> outputs;
  for (size_t i = 0; i < got.size(); ++i) {
    NNRT_ASSIGN(outputs.emplace_back(), compare(executable.outputs()[i].name, got[i], file.outputs[i], {}));
  }
  return verdict(outputs, device.name, "expected");
}

// Each operation is sent twice: before it runs, which may crash, and with its result.
void test(const std::string& id, const Send& send) {
  const auto device = find_device(id);
  for (const std::string& line : cases()) {
    const std::string operation = operation_of(line);
    send({{"operation", operation}, {"ms", nullptr}, {"problem", nullptr}});
    double ms = 0;
    auto problem = device.ok() ? problem_with(device.value(), line, ms) : Result<std::string>(device.error());
    send({{"operation", operation},
          {"ms", ms > 0 ? Json(ms) : Json()},
          {"problem", problem.ok() ? problem.value() : problem.error().message}});
  }
}

}  // namespace

Json self_test(const Json& device) {
  const std::string id = device.value("id", "");
  const ChildEnd end = in_child([&](const Send& send) { test(id, send); }, kSeconds);
  Json results = Json::array();
  for (const Json& result : end.sent) {
    if (!results.empty() && results.back()["problem"].is_null()) results.erase(results.size() - 1);
    results.push_back(result);
  }
  const std::string fault = end.fault.empty() ? "ended" : end.fault;
  if (!results.empty() && results.back()["problem"].is_null())
    results.back()["problem"] = cat("The test ", fault, ".");
  const std::vector<std::string> all = cases();
  for (size_t i = results.size(); i < all.size(); ++i)
    results.push_back({{"operation", operation_of(all[i])}, {"ms", nullptr}, {"problem", "It was not run."}});
  return results;
}

}  // namespace nnrt::tool
