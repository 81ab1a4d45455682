// Networks as PyTorch exports them, each a folder with model.onnx, inN.npy and the expected outN.npy, on one
// device: exported_models_test --device cpu|gpu --refused FILE FOLDER. A line of FILE, "name: reason", lets a
// network be refused with that reason, and is an error where the network runs.
#include "tests/import/inference_session.h"
#include "tests/import/output_compare.h"
#include "tests/import/refusals.h"
#include "tools/import/load_network.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/data/npy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;         // CTest's code for that
constexpr double kTolerance = 3e-3;  // a share of an output's largest value

struct Outcome {
  std::string failure{};  // empty: the network is right
  bool refused = false;   // by the importer or by Build
  double largest = 0;     // difference, as a part of the output's largest value
  std::string device{};
  std::map<std::string, int> placement{};
};

Result<std::vector<tool::Array>> read_arrays(const fs::path& folder, const std::string& stem) {
  std::vector<tool::Array> arrays;
  for (size_t i = 0;; ++i) {
    const fs::path path = folder / (stem + std::to_string(i) + ".npy");
    if (!fs::exists(path)) return arrays;
    NNRT_ASSIGN(tool::Array array, tool::read_npy(path));
    arrays.push_back(std::move(array));
  }
}

// The difference as a part of the largest value; NaN where one of the two is NaN.
double difference(const std::vector<double>& got, const std::vector<double>& want) {
  double largest = 0, magnitude = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) continue;
    if (!std::isfinite(got[i]) || !std::isfinite(want[i])) return std::nan("");
    largest = std::max(largest, std::fabs(got[i] - want[i]));
  }
  for (const double value : want) {
    if (std::isfinite(value)) magnitude = std::max(magnitude, std::fabs(value));
  }
  return largest == 0 ? 0 : largest / std::max(magnitude, 1e-30);
}

Status compare(Outcome& outcome, const std::vector<Value>& got, const std::vector<tool::Array>& want) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i].shape != want[i].shape) {
      return Error{Code::failed, "Output " + std::to_string(i) + " has the shape " +
                                     tool::to_string(got[i].shape) + ", not " +
                                     tool::to_string(want[i].shape) + "."};
    }
    const double part =
        difference(as_numbers(want[i].type, got[i].bytes), as_numbers(want[i].type, want[i].bytes));
    outcome.largest = std::max(outcome.largest, part);
    if (!(part <= kTolerance)) {
      return Error{Code::failed, "Output " + std::to_string(i) + " differs by " + std::to_string(part) +
                                     " of its largest value."};
    }
  }
  return {};
}

Status run(Outcome& outcome, const fs::path& model, OH_NN_DeviceType device) {
  outcome.refused = true;
  NNRT_ASSIGN(const import::Network network, import::load(model));
  NNRT_ASSIGN(Session session, Session::open(network, device));
  outcome.refused = false;
  outcome.device = session.device_name();
  outcome.placement = session.placement();
  NNRT_ASSIGN(const std::vector<tool::Array> inputs, read_arrays(model.parent_path(), "in"));
  NNRT_ASSIGN(const std::vector<tool::Array> want, read_arrays(model.parent_path(), "out"));
  if (inputs.size() != network.inputs.size() || want.size() != network.outputs.size()) {
    return Error{Code::failed, "The numbers of inputs or outputs are not those of the files."};
  }
  std::vector<Value> values;
  std::vector<Shape> shapes;
  for (const tool::Array& input : inputs) values.push_back({input.shape, input.bytes});
  for (const tool::Array& output : want) shapes.push_back(output.shape);
  NNRT_ASSIGN(const std::vector<Value> got, session.run(values, shapes));
  return compare(outcome, got, want);
}

struct Totals {
  int networks = 0, right = 0, refused = 0, wrong = 0;
  int operations = 0, on_device = 0;
};

void judge(Totals& totals, const std::string& name, const Outcome& outcome, const std::string* reason) {
  ++totals.networks;
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
  std::printf("%-24s %-8s %10.2g  %s\n", name.c_str(), result, outcome.largest, devices.c_str());
  if (!is_right) std::printf("    %.300s\n", outcome.failure.c_str());
  std::fflush(stdout);
  const bool is_refused = !is_right && outcome.refused && is_expected;
  totals.right += is_right && reason == nullptr ? 1 : 0;
  totals.refused += is_refused ? 1 : 0;
  totals.wrong += (is_right ? reason != nullptr : !is_refused) ? 1 : 0;
}

struct Choice {
  OH_NN_DeviceType device = OH_NN_CPU;
  fs::path refused, folder;
  std::string filter;
};

int run_all(const Choice& choice) {
  std::vector<fs::path> models;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(choice.folder, error)) {
    for (const char* file : {"model.onnx", "model_legacy.onnx"}) {
      const fs::path model = entry.path() / file;
      if (model.string().find(choice.filter) != std::string::npos && fs::exists(model))
        models.push_back(model);
    }
  }
  if (models.empty()) {
    std::printf("skipped: no networks in %s\n", choice.folder.c_str());
    return kSkipped;
  }
  std::ranges::sort(models);
  const auto refusals = read_refusals(choice.refused);

  Totals totals;
  for (const fs::path& model : models) {
    Outcome outcome;
    if (Status status = run(outcome, model, choice.device); !status.ok())
      outcome.failure = status.error().message;
    std::string name = model.parent_path().filename();
    if (model.stem() != "model") name += "/" + model.stem().string();
    const auto found = refusals.find(name);
    judge(totals, name, outcome, found == refusals.end() ? nullptr : &found->second);
  }
  std::printf("%d networks: %d right, %d refused as listed, %d wrong; %d of %d operations on the device\n",
              totals.networks, totals.right, totals.refused, totals.wrong, totals.on_device,
              totals.operations);
  return totals.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  nnrt::test::Choice choice;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool has_value = i + 1 < argc;
    if (option == "--device" && has_value) {
      choice.device = std::strcmp(argv[++i], "gpu") == 0 ? OH_NN_GPU : OH_NN_CPU;
    } else if (option == "--refused" && has_value) {
      choice.refused = argv[++i];
    } else if (option == "--filter" && has_value) {
      choice.filter = argv[++i];
    } else {
      choice.folder = option;
    }
  }
  return nnrt::test::run_all(choice);
}
