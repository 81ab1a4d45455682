// Runs models with inputs and expected outputs in .npy files on one device:
//   model_cases_test --device cpu|gpu [--tolerance T] [--steps N] [--by-element] [--refused FILE]
//                    [--skipped FILE] [--filter TEXT] FOLDER
// Cases in FOLDER are
// - CASE/ with model.onnx or model.tflite, in0.npy (or in_0.npy) and so on, out0.npy, or with a case.json;
// - cases/CASE/, whose models index.json names if it is an array;
// - the descriptions in index.json, under "cases";
// - golden/CASE/index.json, the description of a model in FOLDER. Other .ms files there must be refused.
// A description, like case.json, names the model and the files of inputs and outputs. case.json also has
// tolerances; "expect": "refusal" if loading or building must fail; "shapes": "given" if the model is loaded
// for the shapes of its inputs. Outputs of a described .ms file may be off by 1e-4 of the largest value plus
// the framework's own error ("difference_to_numpy", "largest_difference_to_numpy"), or by one "step" if
// quantized; those of X-*.ms must be the same bytes as those of X.tflite beside it.
// Lines of the refused and skipped files are "name: reason". A refused model must fail with that reason, or
// be read if the reason is "-"; running it is an error. A skipped model is run, but its outputs are not
// compared: only their dtypes and shapes.
#include "tests/import/inference_session.h"
#include "tests/import/output_compare.h"
#include "tests/import/program_options.h"
#include "tests/import/refusals.h"
#include "tools/import/load_network.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/data/npy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;  // CTest's skip code

struct Choice {
  OH_NN_DeviceType device = OH_NN_CPU;
  fs::path refused, skipped, folder;
  std::string filter;
  double tolerance = 3e-3;           // relative to the output's largest value; integers must be equal
  int steps = 0;                     // between integers, for quantized values
  bool by_element = false;           // relative to each element instead, or absolute below 1
  std::optional<double> absolute{};  // if set, by element: at most absolute + tolerance * |want|
  double slack = 0;                  // added to what `tolerance` allows
  bool has_steps = false;            // integers may differ like floats
  bool is_judged = true;             // false: only dtypes and shapes
  bool is_only_read = false;
};

struct Case {
  std::string name;
  fs::path model, folder;
  nlohmann::json description{};  // null if the files are known by their names
};

struct Outcome {
  std::string failure{};  // empty: passed
  bool refused = false;   // by the importer or by Build
  double largest = 0;     // relative difference
  std::string device{};
  std::map<std::string, int> placement{};
};

Result<std::vector<tool::Array>> read_arrays(const fs::path& folder, const std::string& stem) {
  std::vector<tool::Array> arrays;
  for (;;) {
    const std::string number = std::to_string(arrays.size()) + ".npy";
    fs::path path = folder / (stem + number);
    if (!fs::exists(path)) path = folder / (stem + "_" + number);
    if (!fs::exists(path)) return arrays;
    NNRT_ASSIGN(tool::Array array, tool::read_npy(path));
    arrays.push_back(std::move(array));
  }
}

// The largest difference by the rule of `choice`; NaN if only one of two values is finite.
double difference(const std::vector<double>& got, const std::vector<double>& want, const Choice& choice) {
  double magnitude = 0;
  for (const double value : want) {
    if (std::isfinite(value)) magnitude = std::max(magnitude, std::fabs(value));
  }
  double largest = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) continue;
    if (!std::isfinite(got[i]) || !std::isfinite(want[i])) return std::nan("");
    double scale = choice.by_element ? std::max(std::fabs(want[i]), 1.0) : std::max(magnitude, 1e-30);
    if (choice.slack > 0) scale += choice.slack / choice.tolerance;
    if (choice.absolute) scale = *choice.absolute / std::max(choice.tolerance, 1e-12) + std::fabs(want[i]);
    largest = std::max(largest, std::fabs(got[i] - want[i]) / scale);
  }
  return largest;
}

bool is_float(OH_NN_DataType type) {
  return type == OH_NN_FLOAT16 || type == OH_NN_FLOAT32 || type == OH_NN_FLOAT64;
}

Status compare(Outcome& outcome, const Value& got, const tool::Array& want, const std::string& name,
               const Choice& choice) {
  if (got.shape != want.shape) {
    return Error{Code::failed, name + " has the shape " + tool::to_string(got.shape) + ", not " +
                                   tool::to_string(want.shape) + "."};
  }
  if (got.bytes.size() != want.bytes.size()) return Error{Code::failed, name + " has another size."};
  if (!choice.is_judged) return {};
  if (!is_float(want.type) && !choice.has_steps) {
    const auto a = as_numbers(want.type, got.bytes), b = as_numbers(want.type, want.bytes);
    const bool are_near =
        std::ranges::equal(a, b, [&](double x, double y) { return std::fabs(x - y) <= choice.steps; });
    if (got.bytes == want.bytes || (choice.steps > 0 && are_near)) return {};
    return Error{Code::failed, name + " differs, though its elements are integers."};
  }
  const double apart =
      difference(as_numbers(want.type, got.bytes), as_numbers(want.type, want.bytes), choice);
  outcome.largest = std::max(outcome.largest, apart);
  if (apart <= choice.tolerance) return {};
  return Error{Code::failed, name + " differs by " + std::to_string(apart) + " of its " +
                                 (choice.by_element ? "own" : "largest") + " value."};
}

using NamedArrays = std::vector<std::pair<std::string, tool::Array>>;

// The "inputs" or "outputs" of a description.
Result<NamedArrays> read_named(const Case& test, const char* which) {
  NamedArrays arrays;
  for (const nlohmann::json& row : test.description.at(which)) {
    NNRT_ASSIGN(tool::Array array, tool::read_npy(test.folder / row.at("file").get<std::string>()));
    arrays.emplace_back(row.at("name"), std::move(array));
  }
  return arrays;
}

// In the network's order.
Result<std::vector<tool::Array>> arrays_of(const Case& test, const import::Network& network,
                                           const std::vector<import::TensorId>& ids, const char* which,
                                           const std::string& stem) {
  if (test.description.is_null()) return read_arrays(test.folder, stem);
  NNRT_ASSIGN(const NamedArrays named, read_named(test, which));
  std::vector<tool::Array> arrays;
  for (size_t i = 0; i < ids.size(); ++i) {
    const import::Tensor& tensor = network.tensors[ids[i]];
    if (i >= named.size() || (!named[i].first.empty() && named[i].first != tensor.name))
      return Error{Code::failed, tensor.name + " has no file, or that of another place."};
    if (named[i].second.type != tensor.type) return Error{Code::failed, tensor.name + " has another dtype."};
    arrays.push_back(named[i].second);
  }
  return arrays;
}

Result<import::Options> load_options(const Case& test) {
  import::Options options;
  if (test.description.is_null() || test.description.value("shapes", "") != "given") return options;
  NNRT_ASSIGN(const NamedArrays inputs, read_named(test, "inputs"));
  for (const auto& [name, array] : inputs) options.input_shapes[name] = array.shape;
  return options;
}

// MODEL.tflite beside MODEL-VARIANT.ms; empty if there is none.
fs::path original_of(const fs::path& model) {
  const std::string stem = model.stem();
  const fs::path original = model.parent_path() / (stem.substr(0, stem.rfind('-')) + ".tflite");
  return model.extension() == ".ms" && fs::exists(original) ? original : fs::path();
}

Status compare_with_original(const fs::path& original, const std::vector<Value>& got,
                             const std::vector<Value>& inputs, const std::vector<Shape>& shapes,
                             OH_NN_DeviceType device) {
  NNRT_ASSIGN(const import::Network network, import::load(original));
  NNRT_ASSIGN(Session session, Session::open(network, device));
  NNRT_ASSIGN(const std::vector<Value> want, session.run(inputs, shapes));
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i].bytes != want[i].bytes)
      return Error{Code::failed,
                   "Output " + std::to_string(i) + " is not that of " + original.filename().string() + "."};
  return {};
}

Status run(Outcome& outcome, const Case& test, const Choice& choice) {
  NNRT_ASSIGN(const import::Options options, load_options(test));
  outcome.refused = true;
  NNRT_ASSIGN(const import::Network network, import::load(test.model, options));
  if (choice.is_only_read) return {};
  NNRT_ASSIGN(Session session, Session::open(network, choice.device));
  outcome.refused = false;
  outcome.device = session.device_name();
  outcome.placement = session.placement();
  NNRT_ASSIGN(const std::vector<tool::Array> inputs,
              arrays_of(test, network, network.inputs, "inputs", "in"));
  NNRT_ASSIGN(const std::vector<tool::Array> want,
              arrays_of(test, network, network.outputs, "outputs", "out"));
  if (inputs.size() != network.inputs.size() || want.size() != network.outputs.size()) {
    return Error{Code::failed, "The numbers of inputs or outputs are not those of the files."};
  }
  std::vector<Value> values;
  std::vector<Shape> shapes;
  for (const tool::Array& input : inputs) values.push_back({input.shape, input.bytes});
  for (const tool::Array& output : want) shapes.push_back(output.shape);
  NNRT_ASSIGN(const std::vector<Value> got, session.run(values, shapes));
  if (const fs::path original = original_of(test.model); !original.empty())
    return compare_with_original(original, got, values, shapes, choice.device);
  for (size_t i = 0; i < want.size(); ++i) {
    const std::string name = "Output " + std::to_string(i);
    if (network.tensors[network.outputs[i]].type != want[i].type)
      return Error{Code::failed, name + " has another dtype."};
    NNRT_TRY(compare(outcome, got[i], want[i], name, choice));
  }
  return {};
}

struct Totals {
  int models = 0, right = 0, refused = 0, skipped = 0, wrong = 0;
  int operations = 0, on_device = 0;
};

void judge(Totals& totals, const std::string& name, const Outcome& outcome, const std::string* reason) {
  ++totals.models;
  const bool is_right = outcome.failure.empty();
  const bool is_expected = reason != nullptr && outcome.failure.find(*reason) != std::string::npos;
  std::string devices;
  for (const auto& [place, count] : outcome.placement) {
    devices += (devices.empty() ? "" : ", ") + std::to_string(count) + " " + place;
    totals.operations += count;
    totals.on_device += place == outcome.device ? count : 0;
  }
  const char* result = is_right                         ? (reason == nullptr ? "ok" : "RUNS, but is listed")
                       : outcome.refused && is_expected ? "refused"
                                                        : "FAILED";
  std::printf("%-32s %-8s %10.2g  %s\n", name.c_str(), result, outcome.largest, devices.c_str());
  if (!is_right) std::printf("    %.300s\n", outcome.failure.c_str());
  std::fflush(stdout);
  const bool is_refused = !is_right && outcome.refused && is_expected;
  totals.right += is_right && reason == nullptr ? 1 : 0;
  totals.refused += is_refused ? 1 : 0;
  totals.wrong += (is_right ? reason != nullptr : !is_refused) ? 1 : 0;
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

std::vector<Case> listed_cases(const fs::path& folder) {
  const nlohmann::json index = read_json(folder / "index.json");
  std::vector<Case> cases;
  for (const nlohmann::json& row : index.is_array() ? index : index.at("cases")) {
    const fs::path model = folder / row.at("model").get<std::string>();
    if (index.is_array()) {
      cases.push_back({row.at("case"), model, folder / "cases" / row.at("case").get<std::string>()});
    } else {
      cases.push_back({row.at("name"), model, folder, row});
    }
  }
  return cases;
}

// Models are in `models`.
Case described_case(const fs::path& description, const fs::path& models) {
  nlohmann::json read = read_json(description);
  const fs::path model = models / read.at("model").get<std::string>(), folder = description.parent_path();
  return {folder.filename(), model, folder, std::move(read)};
}

// With those of .ms files that have no description.
std::vector<Case> golden_cases(const fs::path& folder) {
  std::vector<Case> cases;
  std::set<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder / "golden")) {
    cases.push_back(described_case(entry.path() / "index.json", folder));
    models.insert(cases.back().model);
  }
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".ms" && !models.contains(entry.path()))
      cases.push_back({entry.path().filename(), entry.path(), folder});
  std::ranges::sort(cases, {}, &Case::name);
  return cases;
}

std::vector<Case> find_cases(const fs::path& folder) {
  if (fs::exists(folder / "index.json")) return listed_cases(folder);
  if (fs::exists(folder / "golden")) return golden_cases(folder);
  std::vector<Case> cases;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "case.json")) {
      cases.push_back(described_case(entry.path() / "case.json", entry.path()));
      continue;
    }
    for (const char* stem : {"model", "model_legacy"}) {
      for (const char* extension : {".onnx", ".tflite"}) {
        const fs::path model = entry.path() / (std::string(stem) + extension);
        if (!fs::exists(model)) continue;
        std::string name = entry.path().filename();
        if (std::strcmp(stem, "model") != 0) name += std::string("/") + stem;
        cases.push_back({std::move(name), model, entry.path()});
      }
    }
  }
  std::ranges::sort(cases, {}, &Case::name);
  return cases;
}

int run_all(const Choice& choice) {
  std::vector<Case> cases = find_cases(choice.folder);
  std::erase_if(cases, [&](const Case& test) { return test.name.find(choice.filter) == std::string::npos; });
  if (cases.empty()) {
    std::printf("skipped: no models in %s\n", choice.folder.c_str());
    return kSkipped;
  }
  const auto refusals = read_refusals(choice.refused), skips = read_refusals(choice.skipped);
  const std::string any_reason;

  Totals totals;
  for (const Case& test : cases) {
    Outcome outcome;
    Choice rules = choice;
    if (const auto skip = skips.find(test.name); skip != skips.end()) {
      std::printf("%-32s is not compared: %s\n", test.name.c_str(), skip->second.c_str());
      ++totals.skipped;
      rules.is_judged = false;
    }
    const std::string* reason = nullptr;
    if (const auto found = refusals.find(test.name); found != refusals.end()) reason = &found->second;
    rules.is_only_read = reason != nullptr && *reason == "-";
    if (rules.is_only_read) reason = nullptr;
    if (test.model.extension() == ".ms" && !test.description.is_null()) {
      rules.has_steps = test.description.contains("step");
      rules.tolerance = rules.has_steps ? 1e-6 : 1e-4;
      rules.slack = rules.has_steps ? test.description["step"].get<double>() * 1.001
                                    : test.description.value("difference_to_numpy", 0.0) +
                                          test.description.value("largest_difference_to_numpy", 0.0);
    } else if (!test.description.is_null()) {
      rules.tolerance = test.description.value("rtol", choice.tolerance);
      rules.absolute = test.description.value("atol", 0.0);
      if (test.description.value("expect", "result") == "refusal") reason = &any_reason;
    }
    if (Status status = run(outcome, test, rules); !status.ok()) outcome.failure = status.error().message;
    judge(totals, test.name, outcome, reason);
  }
  std::printf(
      "%d models: %d right (%d not compared), %d refused as listed, %d wrong; %d of %d operations on the "
      "device\n",
      totals.models, totals.right, totals.skipped, totals.refused, totals.wrong, totals.on_device,
      totals.operations);
  return totals.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  const nnrt::test::ProgramOptions options(
      argc, argv, {"--device", "--refused", "--skipped", "--filter", "--tolerance", "--steps"},
      {"--by-element"});
  nnrt::test::Choice choice;
  choice.device = options.device();
  choice.refused = options.value("--refused");
  choice.skipped = options.value("--skipped");
  choice.folder = options.folder();
  choice.filter = options.value("--filter");
  if (options.has("--tolerance")) choice.tolerance = std::stod(options.value("--tolerance"));
  choice.steps = std::stoi(options.value("--steps", "0"));
  choice.by_element = options.has("--by-element");
  return nnrt::test::run_all(choice);
}
