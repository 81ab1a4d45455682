#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/repeat.h"
#include "tools/nnrt/base/statistics.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/labels.h"
#include "tools/nnrt/data/output_files.h"
#include "tools/nnrt/data/output_report.h"
#include "tools/nnrt/data/reference.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <span>

namespace nnrt::tool {
namespace {

struct RunOptions {
  ModelOptions model;
  std::string labels, output;
  std::vector<std::string> compare;  // a device, or references
  unsigned runs = 1;
  bool async = false, json = false;
  std::optional<double> tolerance;  // for all outputs; by default depends on the type
};

struct RunResult {
  std::vector<Array> outputs;
  std::vector<double> ms;  // one per run
};

struct LoadedModel {
  ModelFile file;
  Executable model;
};

// Opens and builds the model.
Result<LoadedModel> start(const RunOptions& options) {
  if (options.compare.empty()) {
    NNRT_ASSIGN(ReadyModel ready, make_ready(options.model));
    return LoadedModel{std::move(ready.file), std::move(ready.executable)};
  }
  // The tolerances of a comparison depend on the network.
  NNRT_ASSIGN(ModelFile file, open(options.model));
  NNRT_ASSIGN(const Device device, choose_device(options.model, file));
  NNRT_ASSIGN(Executable executable, Executable::build(file, device, options.model.build));
  return LoadedModel{std::move(file), std::move(executable)};
}

Result<RunResult> run(const Executable& executable, std::span<const Array> inputs,
                      const RunOptions& options) {
  NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
  RunResult answer;
  const auto once = [&]() -> Status {
    const Stopwatch stopwatch;
    NNRT_TRY(options.async ? runner.run_async() : runner.run());
    answer.ms.push_back(stopwatch.ms());
    return {};
  };
  NNRT_TRY(repeat("running on " + executable.device().name, options.runs, once));
  NNRT_ASSIGN(answer.outputs, runner.outputs());
  return answer;
}

// Compared outputs.
struct Comparison {
  std::string title;  // "CPU_NNRt", "the file"
  std::string where;  // "on CPU_NNRt", "in the file"
  std::vector<OutputDifference> outputs;
};

// Text as it goes, or one JSON document at the end.
class RunReport {
 public:
  RunReport(const RunOptions& options, const ModelFile& file, const Executable& model,
            const std::vector<Input>& inputs)
      : options_(options), file_(file), model_(model), inputs_(inputs) {}

  void begin() const;
  void add(const RunResult& answer, std::span<const Output> outputs, std::span<const std::string> labels);
  void add_files(std::vector<std::string> files);
  // Fails if the differences are too large.
  Status add(Comparison comparison);
  // Text output only; the JSON has the facts themselves.
  void note(std::string_view sentence) const;
  // Writes the JSON document, also after a failure.
  void end() const;

 private:
  const RunOptions& options_;
  const ModelFile& file_;
  const Executable& model_;
  const std::vector<Input>& inputs_;
  std::vector<double> ms_;
  std::vector<std::string> files_;
  std::vector<Comparison> comparisons_;
  nlohmann::ordered_json results_;
};

using Json = nlohmann::ordered_json;

void print_times(const Executable& model, std::span<const double> ms) {
  const auto print_time = [](double time) { print_styled(std::cout, Style::time, duration(time)); };
  std::cout << "built in ";
  print_time(model.build_ms());
  std::cout << ", first run ";
  print_time(ms.front());
  if (ms.size() > 1) {
    const std::vector<double> after_the_first(ms.begin() + 1, ms.end());
    std::cout << ", median of " << after_the_first.size() << " more ";
    print_time(percentile(after_the_first, 0.5));
  }
  std::cout << "\n\n";
}

// "add/broadcast (1 of 25), the first of 3 runs"
std::string case_in_words(const CaseOrigin& origin) {
  return cat(printable(origin.name), " (1 of ", origin.cases, ")",
             origin.runs > 1 ? cat(", the first of ", origin.runs, " runs") : "");
}

Json inputs_json(const Executable& model, std::span<const Input> inputs) {
  Json list = Json::array();
  for (size_t i = 0; i < inputs.size(); ++i) {
    list.push_back({{"name", model.inputs()[i].name},
                    {"dtype", import::type_name(inputs[i].array.type)},
                    {"shape", inputs[i].array.shape},
                    {"origin", inputs[i].origin}});
  }
  return list;
}

Json comparison_json(const Comparison& comparison) {
  return {{"with", comparison.title},
          {"differs", any_differs(comparison.outputs)},
          {"outputs", differences_json(comparison.outputs)}};
}

void RunReport::begin() const {
  if (options_.json) return;
  const auto& origin = file_.origin;
  if (origin && (origin->cases > 1 || origin->runs > 1))
    std::cout << "case: " << case_in_words(*origin) << '\n';
  std::cout << "device: " << model_.device().name << '\n';
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Array& array = inputs_[i].array;
    std::cout << "input " << printable(model_.inputs()[i].name) << ": " << describe(array.type, array.shape)
              << ", " << inputs_[i].origin << '\n';
  }
}

void RunReport::add(const RunResult& answer, std::span<const Output> outputs,
                    std::span<const std::string> labels) {
  ms_ = answer.ms;
  if (options_.json) {
    results_ = report_json(outputs, labels);
    return;
  }
  print_times(model_, ms_);
  report(std::cout, outputs, labels);
}

void RunReport::add_files(std::vector<std::string> files) {
  files_ = std::move(files);
  if (options_.json) return;
  for (const std::string& file : files_) std::cout << "wrote " << file << '\n';
}

Status RunReport::add(Comparison comparison) {
  comparisons_.push_back(std::move(comparison));
  const Comparison& last = comparisons_.back();
  if (!options_.json) {
    print_with_headings(std::cout, cat("\ncompared with ", last.title, ":\n"));
    print(std::cout, "output", last.outputs);
  }
  const std::string beyond = verdict(last.outputs, model_.device().name, last.where);
  return beyond.empty() ? Status() : Status(Error{Code::failed, beyond});
}

void RunReport::note(std::string_view sentence) const {
  if (!options_.json) std::cout << sentence << '\n';
}

void RunReport::end() const {
  if (!options_.json) return;
  Json json{{"model", options_.model.model}};
  if (file_.origin) json.update({{"case", file_.origin->name}, {"cases", file_.origin->cases}});
  json.update({{"device", model_.device().name},
               {"device_id", std::to_string(model_.device().id)},
               {"build_ms", model_.build_ms()},
               {"first_run_ms", ms_.front()},
               {"runs_ms", ms_},
               {"inputs", inputs_json(model_, inputs_)}});
  json.update(results_);
  json["files"] = files_;
  Json comparisons = Json::array();
  for (const Comparison& comparison : comparisons_) comparisons.push_back(comparison_json(comparison));
  json["compared"] = std::move(comparisons);
  print_json(std::cout, json);
}

Result<Comparison> compare_outputs(const Executable& model, const RunResult& answer,
                                   std::span<const Array> wanted, std::span<const Tolerance> tolerances,
                                   Comparison comparison) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    NNRT_ASSIGN(OutputDifference output,
                compare(model.outputs()[i].name, answer.outputs[i], wanted[i], tolerances[i]));
    comparison.outputs.push_back(std::move(output));
  }
  return comparison;
}

bool gives_inputs(const RunOptions& options) {
  return !options.model.inputs.inputs.empty() || !options.model.inputs.shapes.empty();
}

// A case file has the expected outputs for its own inputs.
Status compare_with_file(const RunOptions& options, const ModelFile& file, const Executable& model,
                         const RunResult& answer, RunReport& report) {
  if (gives_inputs(options) || file.outputs.empty() || file.outputs.size() != answer.outputs.size())
    return {};
  NNRT_ASSIGN(Comparison comparison,
              compare_outputs(model, answer, file.outputs,
                              tolerances_of({}, options.model.build.float16, file, file.outputs.size()),
                              {"the file", "in the file", {}}));
  return report.add(std::move(comparison));
}

// Expected outputs in files.
Status compare_with_references(const RunOptions& options, const ModelFile& file, const Executable& model,
                               const RunResult& answer, RunReport& report) {
  NNRT_ASSIGN(const auto wanted, read_reference(options.compare, model.outputs()));
  const auto tolerances =
      tolerances_of(options.tolerance, options.model.build.float16, file, answer.outputs.size());
  Comparison comparison{title_of(options.compare), "in the reference", {}};
  NNRT_ASSIGN(comparison.outputs, compare_all(model.outputs(), answer.outputs, wanted, tolerances));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!wanted[i]) report.note(cat("Output ", model.outputs()[i].name, " has no reference."));
  return report.add(std::move(comparison));
}

// Runs the model on another device, or reads references, and reports the differences; fails if they are too
// large.
Status compare_with(const RunOptions& options, const ModelFile& file, const Executable& model,
                    std::span<const Array> inputs, const RunResult& answer, RunReport& report) {
  if (options.compare.empty() || interrupted()) return {};
  if (is_reference(options.compare[0])) return compare_with_references(options, file, model, answer, report);
  ModelOptions other = options.model;
  other.device = options.compare[0];
  other.device_given = true;
  NNRT_ASSIGN(const Device device, choose_device(other, file));
  BuildOptions build = options.model.build;
  build.float16 = false;
  NNRT_ASSIGN(const std::vector<Array> expected, outputs_on(device, file, build, inputs));
  NNRT_ASSIGN(
      Comparison comparison,
      compare_outputs(model, answer, expected,
                      tolerances_of(options.tolerance, options.model.build.float16, file, expected.size()),
                      {device.name, "on " + device.name, {}}));
  Status compared = report.add(std::move(comparison));
  if (!compared.ok() && !options.json)
    std::cout << "`nnrt compare --layers` finds the first layer that differs.\n";
  return compared;
}

// Writes the outputs to files and compares them, as requested.
Status use_outputs(const RunOptions& options, const ModelFile& file, const Executable& model,
                   std::span<const Array> inputs, const RunResult& answer, std::span<const Output> outputs,
                   RunReport& report) {
  if (!options.output.empty()) {
    NNRT_ASSIGN(std::vector<std::string> files, write_outputs(options.output, outputs));
    report.add_files(std::move(files));
  }
  NNRT_TRY(compare_with_file(options, file, model, answer, report));
  return compare_with(options, file, model, inputs, answer, report);
}

// Only the user's labels: those in the file are the model's own.
void check_labels_of(const RunOptions& options, std::span<const Output> outputs,
                     std::span<const std::string> labels) {
  if (options.labels.empty() || is_detector(outputs)) return;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (is_classifier(outputs, i))
      check_labels(options.labels, labels, outputs[i].tensor.name, outputs[i].array.count());
}

Status run_model(const RunOptions& options) {
  if (options.compare.size() > 1 && !std::ranges::all_of(options.compare, is_reference))
    return invalid("Option --compare takes one device, or files.");
  if (!options.output.empty()) NNRT_TRY(check_output_path(options.output));
  std::vector<std::string> labels;
  if (!options.labels.empty()) {
    NNRT_ASSIGN(labels, read_labels(options.labels));
  }
  NNRT_ASSIGN(const LoadedModel started, start(options));
  const auto& [file, model] = started;
  if (options.labels.empty()) labels = file.labels;
  NNRT_ASSIGN(const std::vector<Input> inputs, inputs_for(options.model, file, model.inputs()));
  const std::vector<Array> arrays = arrays_of(inputs);
  RunReport report(options, file, model, inputs);
  report.begin();
  if (gives_inputs(options) && !file.outputs.empty())
    report.note("The outputs in the file are not compared: other inputs were given.");
  auto ran = run(model, arrays, options);
  if (!ran.ok()) return with_usual_shapes(std::move(ran).error(), options.model, model.inputs());
  const RunResult answer = std::move(ran).value();
  std::vector<Output> outputs;
  for (size_t i = 0; i < answer.outputs.size(); ++i)
    outputs.push_back({model.outputs()[i], answer.outputs[i]});
  check_labels_of(options, outputs, labels);
  report.add(answer, outputs, labels);
  Status status = use_outputs(options, file, model, arrays, answer, outputs, report);
  report.end();
  return status;
}

}  // namespace

void add_run(CommandLine& app, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CommandLine command = app.command("run", "Runs a model and prints its results");
  add_model_options(command, options->model);
  add_device_option(command, options->model);
  add_input_options(command, options->model);
  command
      .option("--labels", options->labels, "Class names, one per line; default: those attached to the model")
      .type_name("FILE");
  command
      .option("-o,--output", options->output,
              "Write the outputs as .npy files into DIR, or all into one .npz file")
      .type_name("DIR");
  command
      .option("--compare", options->compare,
              "Print the largest differences from this device, or from expected outputs: an archive (.npz), "
              "a folder with an array (.npy) for each output, or [OUTPUT=]FILE.npy, which may be repeated. "
              "Exit code 1 if one exceeds the tolerance, or if a NaN or infinity is on one side only")
      .type_name("DEVICE|FILE")
      .one_value();
  add_tolerance_option(command, options->tolerance);
  command.option("--runs", options->runs, "Number of runs").positive().max(kMaxRuns);
  command.flag("--async", options->async, "Run asynchronously (OH_NNExecutor_RunAsync)");
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt run mobilenet.tflite -i cat.jpg --labels names.txt --compare cpu");
  set_model_action(command, action, options->model, [options] { return run_model(*options); });
}

}  // namespace nnrt::tool
