#include "core/base/text.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/style.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/reference.h"
#include "tools/nnrt/session/layer_cuts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <optional>

namespace nnrt::tool {
namespace {

struct CompareOptions {
  ModelOptions model;
  std::vector<std::string> devices;
  bool layers = false, json = false;
  std::optional<double> tolerance;
};

// Prints tables as they are computed, or one JSON document at the end.
class CompareReport {
 public:
  // `other` is a device, or null: then its name is that of a reference.
  CompareReport(const CompareOptions& options, const Device& device, const std::string& name,
                const Device* other) {
    if (options.json) {
      document_ = {{"model", options.model.model},
                   {"device", device.name},
                   {"device_id", std::to_string(device.id)},
                   {"other", name}};
      if (other != nullptr) document_["other_id"] = std::to_string(other->id);
      document_["differs"] = false;
    } else {
      print_with_headings(std::cout,
                          cat(short_name(device.name), " compared with ", short_name(name), ":\n"));
    }
  }

  void add_outputs(std::span<const OutputDifference> rows) { add("outputs", "", "output", rows, "differs"); }
  void add_layers(std::span<const OutputDifference> rows) {
    add("layers", "\nlayers, each computed separately:\n", "layer", rows, "differs first");
  }
  void add_cuts(std::span<const OutputDifference> rows) {
    add("cuts", "\nthe model up to a layer, with those before it as they are fused:\n", "layer", rows,
        "differs first");
  }
  void end() const {
    if (!document_.is_null()) print_json(std::cout, document_);
  }

 private:
  void add(const char* member, const char* heading, const char* title, std::span<const OutputDifference> rows,
           const char* mark) {
    if (document_.is_null()) {
      print_with_headings(std::cout, heading);
      print(std::cout, title, rows, mark);
      return;
    }
    document_[member] = differences_json(rows);
    if (any_differs(rows)) document_["differs"] = true;
  }

  nlohmann::ordered_json document_;  // null: tables are printed
};

// Two devices to compare, and the inputs for both.
struct Pair {
  Device device, other;
  BuildOptions build, other_build;
  std::optional<double> tolerance;
  std::vector<Array> inputs;
};

Result<Pair> make_pair(const CompareOptions& options, const ModelFile& file) {
  if (options.devices.size() != 2)
    return invalid(
        "Option --devices takes two devices, as in gpu,cpu, or one and a reference, as in gpu,y.npz.");
  if (!file.network) {
    return Error{Code::failed,
                 "An offline model runs only on the device it was compiled for; compare the original model "
                 "instead."};
  }
  Pair pair;
  NNRT_ASSIGN(pair.device, find_device(options.devices[0]));
  NNRT_ASSIGN(pair.other, find_device(options.devices[1]));
  pair.build = pair.other_build = options.model.build;
  pair.other_build.float16 = false;
  pair.tolerance = options.tolerance;
  return pair;
}

// Builds and runs the model on both. `names` are the output names.
Result<std::vector<OutputDifference>> compare_on(const Pair& pair, const ModelFile& file,
                                                 std::span<const std::string> names) {
  NNRT_ASSIGN(const std::vector<Array> got, outputs_on(pair.device, file, pair.build, pair.inputs));
  NNRT_ASSIGN(const std::vector<Array> want, outputs_on(pair.other, file, pair.other_build, pair.inputs));
  const auto tolerances = tolerances_of(pair.tolerance, pair.build.float16, file, got.size());
  std::vector<OutputDifference> outputs;
  for (size_t i = 0; i < got.size(); ++i) {
    NNRT_ASSIGN(OutputDifference output, compare(names[i], got[i], want[i], tolerances[i]));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<std::vector<OutputDifference>> compare_outputs(const Pair& pair, const ModelFile& file) {
  std::vector<std::string> names;
  for (const import::TensorId id : file.network->outputs) names.push_back(file.network->tensors[id].name);
  return compare_on(pair, file, names);
}

// The cache is off, because these models exist only for this command.
Result<std::vector<OutputDifference>> compare_layers(Pair pair, const ModelFile& file) {
  pair.build.cache.clear();
  pair.other_build.cache.clear();
  const std::vector<LayerOutput> all = layer_outputs(*file.network);
  std::vector<OutputDifference> layers;
  for (const std::span<const LayerOutput> part : in_parts(all)) {
    std::vector<std::string> names;
    for (const LayerOutput& output : part) names.push_back(output.layer);
    auto compared = compare_on(pair, with_outputs(file, part), names);
    if (!compared.ok()) {
      return std::move(compared).error().during(
          cat("comparing the layers from '", names.front(), "' to '", names.back(), "'"));
    }
    std::ranges::move(compared.value(), std::back_inserter(layers));
  }
  return layers;
}

// The largest difference of the model cut after a layer, by layer number.
struct LayerDifferences {
  std::map<size_t, OutputDifference> compared;
  size_t first = 0;  // first cut whose outputs differ
};

Result<OutputDifference> compare_cut(const Pair& pair, const ModelFile& file,
                                     std::span<const LayerOutput> all, size_t layer) {
  const std::vector<LayerOutput> left = left_behind(*file.network, all, layer);
  if (left.empty()) return OutputDifference{all[layer].layer, {}, {}, 0};  // only integers are left
  const std::vector<std::string> names(left.size(), all[layer].layer);
  auto outputs = compare_on(pair, cut_at(file, left), names);
  if (!outputs.ok())
    return std::move(outputs).error().during(cat("comparing the model up to '", all[layer].layer, "'"));
  return *std::ranges::max_element(outputs.value(), {}, tolerances_away);
}

// Finds the first differing cut by bisection: a difference persists in later layers, and the complete
// model differs.
Result<LayerDifferences> compare_cuts(Pair pair, const ModelFile& file) {
  pair.build.cache.clear();
  pair.other_build.cache.clear();
  const std::vector<LayerOutput> all = layer_outputs(*file.network);
  LayerDifferences cuts;
  size_t end = all.size();  // the search is in [first, end)
  while (cuts.first < end) {
    const size_t middle = cuts.first + (end - cuts.first) / 2;
    NNRT_ASSIGN(const OutputDifference compared, compare_cut(pair, file, all, middle));
    if (compared.differs()) {
      end = middle;
    } else {
      cuts.first = middle + 1;
    }
    cuts.compared.emplace(middle, compared);
  }
  return cuts;
}

std::string verdict_of_cuts(const LayerDifferences& cuts) {
  const auto found = cuts.compared.find(cuts.first);
  if (found == cuts.compared.end()) return "The model differs only after its last floating-point layer.";
  return cat("When computed together with all preceding layers, '", found->second.name,
             "' is the first layer that differs.");
}

// Empty if no layer differs.
std::string verdict_of_layers(std::span<const OutputDifference> layers) {
  const auto first =
      std::ranges::find_if(layers, [](const OutputDifference& layer) { return layer.differs(); });
  if (first == layers.end()) return "";
  return cat("The first layer that differs is '", first->name, "', number ", first - layers.begin() + 1,
             " of ", layers.size(), ".");
}

// Printed if outputs differ but no layer does.
constexpr const char* kOnlyTogether =
    "No layer differs when computed separately; fused layers or integer intermediates "
    "differ.";

// Names with characters that a shell would not leave alone are quoted.
std::string shell_word(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:+,@%").find(char(c)) != std::string_view::npos;
  });
  if (is_plain && !text.empty()) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

// Tells how to write the part that differs as a model of its own. A layer that differs alone has its own
// inputs; otherwise all before it belongs to the part.
void suggest_cut(const CompareOptions& options, const ModelFile& file, const LayerOutput& layer,
                 bool is_alone) {
  if (options.json || std::filesystem::path(options.model.model).extension() != ".onnx") return;
  std::string command = "nnrt cut " + shell_word(options.model.model);
  if (is_alone)
    for (const import::TensorId id : layer_inputs(*file.network, layer.tensor))
      command += " --from " + shell_word(file.network->tensors[id].name);
  command += " --to " + shell_word(file.network->tensors[layer.tensor].name) + " -o part.onnx";
  std::cout << "\nThe part that differs as a model of its own:\n    " << command << '\n';
}

Status report_layers(const CompareOptions& options, const Pair& pair, const ModelFile& file,
                     const std::string& beyond, CompareReport& report) {
  NNRT_ASSIGN(const std::vector<OutputDifference> layers, compare_layers(pair, file));
  report.add_layers(layers);
  const std::vector<LayerOutput> all = layer_outputs(*file.network);
  const auto differing = std::ranges::find_if(layers, &OutputDifference::differs);
  if (differing != layers.end()) suggest_cut(options, file, all[size_t(differing - layers.begin())], true);
  const std::string first = verdict_of_layers(layers);
  if (first.empty() && beyond.empty()) return {};
  if (beyond.empty()) return Error{Code::failed, cat("The outputs agree, but not all layers do. ", first)};
  NNRT_ASSIGN(const LayerDifferences cuts, compare_cuts(pair, file));
  std::vector<OutputDifference> rows;
  for (const auto& [layer, compared] : cuts.compared) rows.push_back(compared);
  report.add_cuts(rows);
  if (differing == layers.end() && cuts.first < all.size())
    suggest_cut(options, file, all[cuts.first], false);
  return Error{Code::failed,
               cat(beyond, ' ', first.empty() ? kOnlyTogether : first, ' ', verdict_of_cuts(cuts))};
}

// The first of `devices` is one, if it is no reference; all others are references.
Status compare_with_references(CompareOptions options, size_t first) {
  if (options.layers) return invalid("Option --layers compares two devices, not a reference.");
  if (first > 0) options.model.device = options.devices[0];
  options.model.device_given = first > 0;
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  NNRT_ASSIGN(const Device device, choose_device(options.model, file));
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, options.model.build));
  NNRT_ASSIGN(const std::vector<Input> inputs, inputs_for(options.model, file, executable.inputs()));
  const auto references = std::span(options.devices).subspan(first);
  NNRT_ASSIGN(const auto wanted, read_reference(references, executable.outputs()));
  NNRT_ASSIGN(Runner runner, Runner::create(executable, arrays_of(inputs)));
  NNRT_TRY(runner.run());
  NNRT_ASSIGN(const std::vector<Array> got, runner.outputs());
  const std::string name = title_of(references);
  CompareReport report(options, device, name, nullptr);
  NNRT_ASSIGN(const std::vector<OutputDifference> outputs,
              compare_all(executable.outputs(), got, wanted,
                          tolerances_of(options.tolerance, options.model.build.float16, file, got.size())));
  report.add_outputs(outputs);
  for (size_t i = 0; i < wanted.size() && !options.json; ++i)
    if (!wanted[i]) std::cout << "Output " << executable.outputs()[i].name << " has no reference.\n";
  report.end();
  const std::string beyond = verdict(outputs, device.name, "in the reference");
  return beyond.empty() ? Status() : Error{Code::failed, beyond};
}

Status compare_devices(const CompareOptions& options) {
  const auto reference = std::ranges::find_if(options.devices, is_reference);
  if (reference != options.devices.end())
    return compare_with_references(options, std::min<size_t>(1, size_t(reference - options.devices.begin())));
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  NNRT_ASSIGN(Pair pair, make_pair(options, file));
  NNRT_ASSIGN(pair.inputs, inputs_of(options.model, file, pair.other));
  CompareReport report(options, pair.device, pair.other.name, &pair.other);
  NNRT_ASSIGN(const std::vector<OutputDifference> outputs, compare_outputs(pair, file));
  report.add_outputs(outputs);
  const std::string beyond = verdict(outputs, pair.device.name, "on " + pair.other.name);
  Status status = beyond.empty() ? Status() : Error{Code::failed, beyond};
  if (options.layers) status = report_layers(options, pair, file, beyond, report);
  report.end();
  return status;
}

}  // namespace

void add_compare(CommandLine& app, Action& action) {
  const auto options = std::make_shared<CompareOptions>();
  CommandLine command = app.command(
      "compare",
      "Compares the results of a model on two devices, or with expected ones; exit code 1 if they "
      "differ");
  add_model_options(command, options->model);
  command
      .option("-d,--devices", options->devices,
              "The tested device and the reference: gpu,cpu; --fp16 applies to the first only. The reference "
              "may be expected outputs in files: an archive (.npz), a folder with an array (.npy) for each "
              "output, or [OUTPUT=]FILE.npy for each")
      .required()
      .separated_by(',')
      .one_value()
      .type_name("DEVICE,DEVICE");
  command.flag("--layers", options->layers,
               "Find the first layer that differs. The table compares each layer with float or quantized "
               "results in a model that outputs all of them, so that no layers are fused; the outputs above "
               "the table are those of the unchanged model. If they differ, the model is also cut after "
               "some layers, with everything before the cut fused, until the first differing layer is found");
  add_tolerance_option(command, options->tolerance);
  add_input_options(command, options->model);
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt compare mobilenet.tflite --devices gpu,cpu --layers");
  set_model_action(command, action, options->model, [options] { return compare_devices(*options); });
}

}  // namespace nnrt::tool
