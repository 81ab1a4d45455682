// Runs .ms files with expected outputs on one device:
//   mindspore_models_test --device cpu|gpu [--refused FILE] [--filter TEXT] FOLDER
// FOLDER/index.json lists cases; without one, each FOLDER/golden/*/index.json is a case with a model of
// FOLDER. A case has "model", "inputs" and "outputs" with "name" and "file". Outputs may differ by 1e-4 of
// the largest value, by the error of MindSpore's own results ("difference_to_numpy",
// "largest_difference_to_numpy"), or by one "step" of a quantized result. If X.tflite is beside the model
// X-*.ms, that is its original: a detector whose results must be the same bytes. Lines of the refused file
// are "model: reason"; such a model must fail with that reason, or be read if the reason is "-": it has no
// expected outputs. Every model of FOLDER must be a case or refused.
#include "tests/import/inference_session.h"
#include "tests/import/output_compare.h"
#include "tests/import/program_options.h"
#include "tests/import/refusals.h"
#include "tools/import/load_network.h"
#include "tools/nnrt/data/npy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kSkipped = 77;         // CTest's skip code
constexpr double kTolerance = 1e-4;  // of the largest value

struct Case {
  std::string name;
  fs::path model, folder;
  json index;
};

struct Outcome {
  std::string failure{};
  double largest = 0;  // relative to the tolerance
  std::map<std::string, int> placement{};
};

Result<std::vector<tool::Array>> read_arrays(const Case& test, const char* key) {
  std::vector<tool::Array> arrays;
  for (const json& entry : test.index.at(key)) {
    NNRT_ASSIGN(tool::Array array, tool::read_npy(test.folder / entry.at("file").get<std::string>()));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  return largest;
}

double allowed_difference(const json& index, double largest) {
  if (index.contains("step")) return index["step"].get<double>() * 1.001 + 1e-6 * largest;
  return kTolerance * largest + index.value("difference_to_numpy", 0.0) +
         index.value("largest_difference_to_numpy", 0.0);
}

Status compare(Outcome& outcome, const Value& got, const tool::Array& want, const json& index,
               const std::string& name) {
  if (got.shape != want.shape)
    return Error{Code::failed, name + " has the shape " + tool::to_string(got.shape) + ", not " +
                                   tool::to_string(want.shape) + "."};
  const auto a = as_numbers(want.type, got.bytes), b = as_numbers(want.type, want.bytes);
  if (a.size() != b.size()) return Error{Code::failed, name + " has another size."};
  const bool is_real = want.type == OH_NN_FLOAT32 || want.type == OH_NN_FLOAT16 || want.type == OH_NN_FLOAT64;
  const bool may_differ = is_real || index.contains("step");
  const double allowed = may_differ ? allowed_difference(index, largest_of(b)) : 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double apart = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ? 0 : std::fabs(a[i] - b[i]);
    if (apart > 0) outcome.largest = std::max(outcome.largest, allowed > 0 ? apart / allowed : INFINITY);
    if (!(apart <= allowed))
      return Error{Code::failed, name + ", element " + std::to_string(i) + ": " + std::to_string(a[i]) +
                                     ", not " + std::to_string(b[i]) + "."};
  }
  return {};
}

Status check_declared(const import::Network& network, const std::vector<import::TensorId>& ids,
                      const json& entries, const std::vector<tool::Array>& arrays) {
  if (ids.size() != entries.size())
    return Error{Code::failed, "The numbers of inputs or outputs are not those of the index."};
  for (size_t i = 0; i < ids.size(); ++i) {
    const import::Tensor& tensor = network.tensors[ids[i]];
    const std::string name = entries[i].at("name");
    if (!name.empty() && tensor.name != name)
      return Error{Code::failed, "A tensor is named " + tensor.name + ", not " + name + "."};
    if (tensor.type != arrays[i].type)
      return Error{Code::failed, tensor.name + " has the type " + std::to_string(tensor.type) + ", not " +
                                     std::to_string(arrays[i].type) + "."};
  }
  return {};
}

// MODEL.tflite beside MODEL-VARIANT.ms; empty if there is none.
fs::path original_of(const fs::path& model) {
  const std::string stem = model.stem();
  const fs::path original = model.parent_path() / (stem.substr(0, stem.rfind('-')) + ".tflite");
  return fs::exists(original) ? original : fs::path();
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

Status run(Outcome& outcome, const Case& test, OH_NN_DeviceType device) {
  NNRT_ASSIGN(const import::Network network, import::load(test.model));
  NNRT_ASSIGN(const std::vector<tool::Array> inputs, read_arrays(test, "inputs"));
  NNRT_ASSIGN(const std::vector<tool::Array> want, read_arrays(test, "outputs"));
  NNRT_TRY(check_declared(network, network.inputs, test.index.at("inputs"), inputs));
  NNRT_TRY(check_declared(network, network.outputs, test.index.at("outputs"), want));
  NNRT_ASSIGN(Session session, Session::open(network, device));
  outcome.placement = session.placement();
  std::vector<Value> values;
  std::vector<Shape> shapes;
  for (const tool::Array& input : inputs) values.push_back({input.shape, input.bytes});
  for (const tool::Array& output : want) shapes.push_back(output.shape);
  NNRT_ASSIGN(const std::vector<Value> got, session.run(values, shapes));
  if (const fs::path original = original_of(test.model); !original.empty())
    return compare_with_original(original, got, values, shapes, device);
  for (size_t i = 0; i < want.size(); ++i)
    NNRT_TRY(compare(outcome, got[i], want[i], test.index, "Output " + std::to_string(i)));
  return {};
}

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

std::vector<Case> find_cases(const fs::path& folder) {
  std::vector<Case> cases;
  if (fs::exists(folder / "index.json")) {
    const json index = read_json(folder / "index.json");
    for (const json& entry : index.at("cases"))
      cases.push_back({entry.at("name"), folder / entry.at("model").get<std::string>(), folder, entry});
    return cases;
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "golden", error)) {
    const json index = read_json(entry.path() / "index.json");
    cases.push_back(
        {entry.path().filename(), folder / index.at("model").get<std::string>(), entry.path(), index});
  }
  std::ranges::sort(cases, {}, &Case::name);
  return cases;
}

// Returns whether the model fails to load with this reason.
bool is_refused(const fs::path& model, const std::string& reason, std::string& why) {
  const auto network = import::load(model);
  why = network.ok() ? "it is read" : network.error().message;
  return reason == "-" ? network.ok() : !network.ok() && why.find(reason) != std::string::npos;
}

int run_all(const ProgramOptions& options) {
  const fs::path folder = options.folder();
  std::vector<Case> cases = find_cases(folder);
  if (cases.empty()) {
    std::printf("skipped: no models in %s\n", folder.c_str());
    return kSkipped;
  }
  std::set<std::string> tested;
  for (const Case& test : cases) tested.insert(test.model.filename());
  std::erase_if(cases, [&](const Case& test) {
    return test.name.find(options.value("--filter")) == std::string::npos;
  });
  int wrong = 0, operations = 0, on_gpu = 0;
  for (const Case& test : cases) {
    Outcome outcome;
    if (Status status = run(outcome, test, options.device()); !status.ok())
      outcome.failure = status.error().message;
    std::string devices;
    for (const auto& [device, count] : outcome.placement) {
      devices += (devices.empty() ? "" : ", ") + std::to_string(count) + " " + device;
      operations += count;
      on_gpu += device.find("Vulkan") != std::string::npos ? count : 0;
    }
    wrong += outcome.failure.empty() ? 0 : 1;
    std::printf("%-36s %-7s %8.2g  %s\n", test.name.c_str(), outcome.failure.empty() ? "ok" : "FAILED",
                outcome.largest, devices.c_str());
    if (!outcome.failure.empty()) std::printf("    %.400s\n", outcome.failure.c_str());
    std::fflush(stdout);
  }
  const auto refusals = read_refusals(options.value("--refused"));
  int refused = 0;
  for (const auto& [model, reason] : refusals) {
    std::string why;
    const bool as_listed = is_refused(folder / model, reason, why);
    std::printf("%-36s %-7s %.200s\n", model.c_str(),
                as_listed ? (reason == "-" ? "read" : "refused") : "FAILED", why.c_str());
    (as_listed ? refused : wrong) += 1;
    tested.insert(model);
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".ms" || tested.contains(entry.path().filename())) continue;
    std::printf("%s is neither a case nor refused.\n", entry.path().c_str());
    ++wrong;
  }
  std::printf("%zu models run, %d refused, %d wrong\n", cases.size(), refused, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  return nnrt::test::run_all(nnrt::test::ProgramOptions(argc, argv, {"--device", "--refused", "--filter"}));
}
