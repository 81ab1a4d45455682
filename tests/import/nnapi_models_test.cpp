// Runs networks through both APIs on one device: nnapi_models_test --device cpu|gpu --refused FILE FOLDER...
// A folder has an index.json, or only model files. All outputs must be bit-identical. A line of FILE, "name:
// reason", allows a network to be refused with that reason; running it is then an error.
#include "tests/import/program_options.h"
#include "tests/import/refusals.h"
#include "tools/import/network/parameters.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/data/input.h"
#include "tools/nnrt/session/executable.h"
#include "tools/nnrt/session/nnapi_session.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using tool::Array;

constexpr int kSkipped = 77;  // CTest's skip code
constexpr int kRuns = 10;     // the fastest counts
// Some NNAPI operations are composed differently, so floats are rounded in another order.
constexpr double kRounding = 1e-5;  // relative to the output's largest value, at least 1

struct Case {
  std::string name;
  fs::path path;
  json sample;  // null: random inputs
};

std::vector<Case> cases_in(const fs::path& folder) {
  std::vector<Case> cases;
  std::ifstream index_file(folder / "index.json");
  if (index_file) {
    for (const json& model : json::parse(index_file))
      cases.push_back({model["name"], folder / model["file"].get<std::string>(), model["samples"].at(0)});
    return cases;
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string kind = entry.path().extension();
    if (kind == ".onnx" || kind == ".tflite" || kind == ".jsonl")
      cases.push_back({entry.path().stem(), entry.path(), {}});
  }
  std::ranges::sort(cases, {}, &Case::name);
  return cases;
}

// The sample's bytes if they match the input, otherwise random ones.
Result<std::vector<Array>> inputs_of(const Case& test, const fs::path& folder, const tool::ModelFile& file,
                                     const std::vector<import::Tensor>& declared) {
  if (file.inputs.size() == declared.size() && !declared.empty()) return file.inputs;
  NNRT_ASSIGN(const std::vector<tool::Input> made, tool::make_inputs(declared, {}));
  std::vector<Array> arrays;
  for (size_t i = 0; i < made.size(); ++i) {
    arrays.push_back(made[i].array);
    if (test.sample.is_null()) continue;
    std::ifstream stored(folder / test.sample["inputs"][i].get<std::string>(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stored), {}};
    const auto view = std::as_bytes(std::span(bytes));
    if (view.size() == arrays[i].bytes.size()) arrays[i].bytes.assign(view.begin(), view.end());
  }
  return arrays;
}

struct Outcome {
  std::string failure{};  // empty: the bytes are equal
  bool refused = false;   // by one of the APIs, before a run
  double oh_nn_ms = 0, nnapi_ms = 0;
};

// NNAPI leaves the rounding of ties to the driver.
bool rounds_ties_to_even(const import::Network& network) {
  const auto says_so = [](const import::Parameter& parameter) {
    return parameter.role == import::extension(OH_NN_QUANTIZED_TIES_TO_EVEN);
  };
  return std::ranges::any_of(network.operations, [&](const import::Operation& operation) {
    return std::ranges::any_of(operation.parameters, says_so);
  });
}

Status compare(const std::vector<Array>& got, const std::vector<Array>& want, bool allows_steps) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i].bytes == want[i].bytes) continue;
    double largest = 0;
    bool is_rounding = got[i].type == OH_NN_FLOAT32 && got[i].bytes.size() == want[i].bytes.size();
    size_t different = 0;
    double magnitude = 1;
    for (size_t k = 0; k < want[i].count(); ++k) magnitude = std::max(magnitude, std::abs(want[i][k]));
    for (size_t k = 0; k < std::min(got[i].count(), want[i].count()); ++k) {
      different += got[i][k] != want[i][k] ? 1 : 0;
      const double difference = got[i][k] == want[i][k] ? 0 : std::abs(got[i][k] - want[i][k]);
      largest = std::max(largest, difference);
      is_rounding = is_rounding && difference <= kRounding * magnitude;  // NaN is not
    }
    is_rounding = is_rounding || (allows_steps && got[i].type == OH_NN_INT8 && largest == 1);
    if (is_rounding) {
      std::printf("    Output %zu differs in %zu elements, by %g at most.\n", i, different, largest);
      continue;
    }
    return Error{Code::failed, cat("Output ", i, " differs in ", different, " of ", want[i].count(),
                                   " elements, by ", largest, " at most.")};
  }
  return {};
}

// `run` reports its duration, excluding the test's own work.
template <typename Run>
Status fastest(double& ms, const Run& run) {
  for (int i = 0; i < kRuns; ++i) {
    double taken = 0;
    NNRT_TRY(run(taken));
    ms = i == 0 ? taken : std::min(ms, taken);
  }
  return {};
}

Status run(Outcome& outcome, const Case& test, const fs::path& folder, const std::string& device) {
  NNRT_ASSIGN(const tool::ModelFile file, tool::open_model(test.path));
  NNRT_ASSIGN(const tool::Device chosen, tool::find_device(device));
  outcome.refused = true;
  NNRT_ASSIGN(const auto session, tool::NnapiSession::build(*file.network, {device, false, true}));
  outcome.refused = false;
  NNRT_ASSIGN(const tool::Executable executable, tool::Executable::build(file, chosen, {}));
  NNRT_ASSIGN(const std::vector<Array> inputs, inputs_of(test, folder, file, session.inputs()));
  NNRT_ASSIGN(tool::Runner runner, tool::Runner::create(executable, inputs));
  NNRT_TRY(fastest(outcome.oh_nn_ms, [&](double& ms) {
    const tool::Stopwatch stopwatch;
    Status status = runner.run();
    ms = stopwatch.ms();
    return status;
  }));
  NNRT_ASSIGN(const std::vector<Array> want, runner.outputs());
  std::vector<Array> got;
  NNRT_TRY(fastest(outcome.nnapi_ms, [&](double& ms) -> Status {
    NNRT_ASSIGN(got, session.run(inputs, false, ms));
    return {};
  }));
  return compare(got, want, rounds_ties_to_even(*file.network));
}

struct Totals {
  int networks = 0, equal = 0, refused = 0, wrong = 0;
};

void judge(Totals& totals, const Case& test, const Outcome& outcome, const std::string* reason) {
  ++totals.networks;
  const bool is_equal = outcome.failure.empty();
  const bool is_refused =
      outcome.refused && reason != nullptr && outcome.failure.find(*reason) != std::string::npos;
  const bool is_right = is_equal ? reason == nullptr : is_refused;
  totals.equal += is_equal ? 1 : 0;
  totals.refused += is_refused ? 1 : 0;
  totals.wrong += is_right ? 0 : 1;
  std::printf("%-28s %-8s %10.3f %10.3f %7.2f\n", test.name.c_str(),
              is_right ? (is_equal ? "equal" : "refused") : (is_equal ? "LISTED" : "FAILED"),
              outcome.oh_nn_ms, outcome.nnapi_ms,
              outcome.oh_nn_ms > 0 ? outcome.nnapi_ms / outcome.oh_nn_ms : 0);
  if (!is_equal) std::printf("    %.300s\n", outcome.failure.c_str());
  std::fflush(stdout);
}

struct Choice {
  std::string device = "cpu", filter;
  fs::path refused;
  std::vector<fs::path> folders;
};

int run_all(const Choice& choice) {
  const auto refusals = read_refusals(choice.refused);
  Totals totals;
  std::printf("%-28s %-8s %10s %10s %7s\n", "network", "outputs", "OH_NN ms", "NNAPI ms", "ratio");
  for (const fs::path& folder : choice.folders) {
    const std::vector<Case> cases = cases_in(folder);
    if (cases.empty()) std::printf("skipped: no networks in %s\n", folder.c_str());
    for (const Case& test : cases) {
      if (test.path.string().find(choice.filter) == std::string::npos) continue;
      Outcome outcome;
      if (Status status = run(outcome, test, folder, choice.device); !status.ok())
        outcome.failure = status.error().message;
      const auto refusal = refusals.find(test.name);
      judge(totals, test, outcome, refusal == refusals.end() ? nullptr : &refusal->second);
    }
  }
  std::printf("%d networks: %d with equal outputs, %d refused, %d wrong\n", totals.networks, totals.equal,
              totals.refused, totals.wrong);
  if (totals.networks == 0) return kSkipped;
  return totals.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  const nnrt::test::ProgramOptions options(argc, argv, {"--device", "--filter", "--refused"});
  return nnrt::test::run_all({options.value("--device", "cpu"),
                              options.value("--filter"),
                              options.value("--refused"),
                              {options.folders().begin(), options.folders().end()}});
}
