#include "core/base/counted.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/progress.h"
#include "tools/nnrt/base/statistics.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/data/labels.h"
#include "tools/nnrt/data/results.h"
#include "tools/nnrt/data/sample_classes.h"
#include "tools/nnrt/session/sample_runner.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

struct AccuracyOptions {
  ModelOptions model;  // without the path, since there may be several models
  std::vector<std::string> models;
  std::string folder;
  std::vector<std::string> devices;
  std::string labels, truth;
  bool json = false;
};

struct Accuracy {
  std::string model, device;
  uint64_t file_bytes = 0;
  size_t samples = 0, first = 0, among_five = 0;
  std::vector<double> ms;

  double top1() const { return static_cast<double>(first) / static_cast<double>(samples); }
  double top5() const { return static_cast<double>(among_five) / static_cast<double>(samples); }
};

using Labels = std::vector<std::string>;

Status count(Accuracy& accuracy, const AccuracyOptions& options, const Labels& labels,
             const std::vector<import::Tensor>& declared, const std::vector<Array>& arrays,
             const SampleClasses& classes, size_t sample) {
  const size_t wanted = classes.numbers[sample], folders = classes.counted_folders;
  std::vector<Output> outputs;
  for (size_t i = 0; i < arrays.size(); ++i) outputs.push_back({declared[i], arrays[i]});
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!is_classifier(outputs, i)) continue;
    const Output& output = outputs[i];
    if (folders != 0 && folders != arrays[i].count()) {
      return invalid("FOLDER has samples in ", counted(folders, "subfolder"), ", but ", accuracy.model,
                     " has ", counted(arrays[i].count(), "class", "classes"),
                     ". Name the subfolders by class number, or use --labels.");
    }
    if (wanted >= arrays[i].count()) {
      return invalid("Class ", wanted, " of a sample is outside [0, ", arrays[i].count(),
                     "), the classes of ", accuracy.model, ".");
    }
    if (accuracy.samples == 0 && !options.labels.empty())
      check_labels(options.labels, labels, output.tensor.name, arrays[i].count());
    const std::vector<ClassScore> best = best_classes(output, 5);
    ++accuracy.samples;
    accuracy.first += best.front().number == wanted;
    accuracy.among_five += std::ranges::find(best, wanted, &ClassScore::number) != best.end();
    return {};
  }
  return Error{Code::unsupported,
               cat("Model (", accuracy.model, ") has no output with a score for each class of one sample.")};
}

// Uses the labels attached to this model if `labels` is not set.
Result<Accuracy> measure_accuracy(const AccuracyOptions& options, const std::string& path,
                                  const std::string& device, std::optional<Labels>& labels) {
  ModelOptions model = options.model;
  model.model = path;
  model.device = device;
  NNRT_ASSIGN(ReadyModel ready, make_ready(model));
  if (!labels) labels = ready.file.labels;
  const Device chosen = ready.executable.device();
  NNRT_ASSIGN(const std::vector<Sample> samples,
              list_samples(options.folder, ready.executable.inputs().size()));
  NNRT_ASSIGN(const SampleClasses classes, classes_of(samples, options.truth, *labels));
  SampleRunner runner(std::move(ready.executable), model.inputs);
  Accuracy accuracy{path, chosen.name, ready.file.bytes, 0, 0, 0, {}};
  Progress progress(cat(path, " on ", chosen.name), samples.size());
  const CatchInterrupts catches;
  for (size_t i = 0; i < samples.size(); ++i) {
    NNRT_ASSIGN(const std::vector<Array> outputs, runner.run(samples[i]));
    NNRT_TRY(count(accuracy, options, *labels, runner.executable().outputs(), outputs, classes, i));
    accuracy.ms.push_back(runner.ms());
    progress.step();
  }
  return accuracy;
}

void print_table(const std::vector<Accuracy>& results) {
  using enum Table::Align;
  Table table({{"model", left, true},
               {"device", left, true},
               {"file", right},
               {"images", right},
               {"top-1", right},
               {"top-5", right},
               {"per image", right, false, Style::time}});
  for (const Accuracy& result : results) {
    table.add({result.model, short_name(result.device), byte_size(result.file_bytes),
               std::to_string(result.samples), fixed(result.top1() * 100, 2) + " %",
               fixed(result.top5() * 100, 2) + " %", duration(percentile(result.ms, 0.5))});
  }
  table.print(std::cout);
}

Json results_json(const std::vector<Accuracy>& results) {
  Json rows = Json::array();
  for (const Accuracy& result : results) {
    rows.push_back({{"model", result.model},
                    {"device", result.device},
                    {"file_bytes", result.file_bytes},
                    {"images", result.samples},
                    {"top1", result.top1()},
                    {"top5", result.top5()},
                    {"image_ms", percentile(result.ms, 0.5)}});
  }
  return {{"results", std::move(rows)}};
}

Status compare_accuracy(const AccuracyOptions& options) {
  if (options.folder.empty()) return invalid("FOLDER is missing after the models.");
  std::optional<Labels> labels;
  if (!options.labels.empty()) {
    NNRT_ASSIGN(labels, read_labels(options.labels));
  }
  std::vector<Accuracy> results;
  for (const std::string& model : options.models) {
    for (const std::string& device : options.devices) {
      NNRT_ASSIGN(results.emplace_back(), measure_accuracy(options, model, device, labels));
    }
  }
  options.json ? print_json(std::cout, results_json(results)) : print_table(results);
  return {};
}

}  // namespace

void add_accuracy(CommandLine& app, Action& action) {
  const auto options = std::make_shared<AccuracyOptions>();
  CommandLine command = app.command("accuracy", "Compares the accuracy of classifiers");
  ModelOptions& model = options->model;
  command
      .option("MODEL", options->models,
              "Model files: .onnx, .tflite, .ms, .nnrt or .jsonl; - for standard input")
      .required();
  command.option("FOLDER", options->folder,
                 "A folder with one subfolder of samples per class: images, arrays (.npy), raw elements "
                 "(.bin, .raw) or cases (.jsonl)");
  command
      .option("--labels", options->labels,
              "Class names, one per line, that match the names of the subfolders; default: those attached "
              "to the first model. Without class names, subfolders are named by class number, or numbered "
              "alphabetically")
      .type_name("FILE");
  command
      .option("--truth", options->truth,
              "File with lines of a sample's path in FOLDER and its class, instead of subfolders")
      .type_name("FILE");
  command.option("-d,--device,--devices", options->devices, "Devices to compare: gpu,cpu")
      .separated_by(',')
      .one_value()
      .type_name("DEVICE[,DEVICE]")
      .when_given([&model] { model.device_given = true; });
  command.flag("--fp16", model.build.float16, "Allow float16 inside the models");
  add_cache_options(command, model);
  add_reading_options(command, model);
  add_image_options(command, model);
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt accuracy float.onnx int8.onnx photos --labels imagenet.txt");
  command.when_called([options, &action] {
    // The parser assigns all positional arguments to the option that accepts several.
    if (options->folder.empty() && options->models.size() > 1) {
      options->folder = std::move(options->models.back());
      options->models.pop_back();
    }
    if (options->devices.empty()) options->devices = {options->model.device};
    action = [options] {
      std::vector<std::string*> models;
      for (std::string& path : options->models) models.push_back(&path);
      return with_standard_input(options->model, models, [&] { return compare_accuracy(*options); });
    };
  });
}

}  // namespace nnrt::tool
