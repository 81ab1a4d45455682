#include "core/base/printable.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/statistics.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/labels.h"
#include "tools/nnrt/data/npy.h"
#include "tools/nnrt/data/output_report.h"
#include "tools/nnrt/session/nnapi_session.h"

#include <functional>
#include <iostream>
#include <memory>
#include <optional>

namespace nnrt::tool {
namespace {

struct RunOptions {
  ModelOptions model;
  std::string labels, output, compare, api = "oh_nn";
  unsigned runs = 1;
  bool async = false;
  std::optional<double> tolerance;  // of each difference; where it is not given, by type
};

struct Answer {
  std::vector<Array> outputs;
  std::vector<double> ms;
};

// A model that was built through one of the two APIs.
struct Built {
  std::string device;
  std::vector<import::Tensor> inputs, outputs;
  double build_ms = 0;
  std::function<Result<Answer>(std::span<const Array>)> run;
};

Result<Answer> run(const Executable& executable, std::span<const Array> inputs, unsigned runs, bool async) {
  NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
  Answer answer;
  for (unsigned i = 0; i < std::max(runs, 1u); ++i) {
    const Stopwatch stopwatch;
    NNRT_TRY(async ? runner.run_async() : runner.run());
    answer.ms.push_back(stopwatch.ms());
  }
  NNRT_ASSIGN(answer.outputs, runner.outputs());
  return answer;
}

Result<Answer> run(const NnapiSession& session, std::span<const Array> inputs, unsigned runs, bool async) {
  Answer answer;
  for (unsigned i = 0; i < std::max(runs, 1u); ++i) {
    double ms = 0;
    NNRT_ASSIGN(answer.outputs, session.run(inputs, async, ms));
    answer.ms.push_back(ms);
  }
  return answer;
}

template <typename Session>
Built built(std::shared_ptr<const Session> session, std::string device, const RunOptions& options) {
  return {std::move(device), session->inputs(), session->outputs(), session->build_ms(),
          [session, &options](std::span<const Array> inputs) {
            return run(*session, inputs, options.runs, options.async);
          }};
}

Result<Built> build_nnapi(const RunOptions& options, const ModelFile& file) {
  const ModelOptions& model = options.model;
  if (!file.network) return invalid("An offline model is of OH_NN alone and has no way through NNAPI.");
  if (!model.build.cache.empty()) return invalid("--cache is of OH_NN alone.");
  NNRT_ASSIGN(NnapiSession session,
              NnapiSession::build(*file.network, {model.device_given ? model.device : "", model.build.float16,
                                                  model.build.fallback}));
  std::string device = session.device();
  return built(std::make_shared<const NnapiSession>(std::move(session)), std::move(device), options);
}

// `options` outlive what is made.
Result<Built> build(const RunOptions& options, const ModelFile& file) {
  if (options.api == "nnapi") return build_nnapi(options, file);
  if (options.api != "oh_nn") return invalid("API (", options.api, ") is none of: oh_nn, nnapi.");
  NNRT_ASSIGN(const Device device, choose_device(options.model));
  NNRT_ASSIGN(Executable executable, Executable::build(file, device, options.model.build));
  return built(std::make_shared<const Executable>(std::move(executable)), device.name, options);
}

// A file name of a tensor's name: what is no letter, digit, dot or hyphen becomes an underscore.
std::string file_name(size_t index, const std::string& tensor) {
  std::string name = cat(index, '_', tensor);
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return name + ".npy";
}

Status write_outputs(const std::string& directory, const Built& model, const Answer& answer) {
  if (directory.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Error{Code::invalid_path,
                 cat("Directory (", directory, ") cannot be made: ", error.message(), ".")};
  }
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    const auto path = std::filesystem::path(directory) / file_name(i, model.outputs[i].name);
    NNRT_TRY(write_npy(path, answer.outputs[i]));
    std::cout << "wrote " << path.string() << '\n';
  }
  return {};
}

// Reports the differences from what was wanted, under a title; an error if they are too large.
Status compare_outputs(const Built& model, const Answer& answer, std::span<const Array> wanted,
                       const Tolerance& tolerance, const std::string& title, const std::string& other) {
  std::vector<Compared> outputs;
  for (size_t i = 0; i < wanted.size(); ++i) {
    NNRT_ASSIGN(Compared output, compare(model.outputs[i].name, answer.outputs[i], wanted[i], tolerance));
    outputs.push_back(std::move(output));
  }
  std::cout << "\ncompared with " << title << ":\n";
  print(std::cout, "output", outputs);
  const std::string beyond = verdict(outputs, model.device, other);
  return beyond.empty() ? Status() : Status(Error{Code::failed, beyond});
}

// A file of cases has the outputs that belong to its own inputs.
Status compare_with_file(const RunOptions& options, const ModelFile& file, const Built& model,
                         const Answer& answer) {
  const InputOptions& inputs = options.model.inputs;
  const bool has_own_inputs = inputs.inputs.empty() && inputs.shapes.empty();
  if (!has_own_inputs || file.outputs.empty() || file.outputs.size() != answer.outputs.size()) return {};
  return compare_outputs(model, answer, file.outputs, {{}, options.model.build.float16}, "the file",
                         "in the file");
}

// Runs the same on another device, by OH_NN, and reports the differences; an error if they are too large.
Status compare_with(const RunOptions& options, const ModelFile& file, const Built& model,
                    std::span<const Array> inputs, const Answer& answer) {
  if (options.compare.empty()) return {};
  NNRT_ASSIGN(const Device device, find_device(options.compare));
  BuildOptions build = options.model.build;
  build.float16 = false;
  NNRT_ASSIGN(const std::vector<Array> expected, outputs_on(device, file, build, inputs));
  Status compared = compare_outputs(model, answer, expected, {options.tolerance, options.model.build.float16},
                                    device.name, "on " + device.name);
  if (!compared.ok()) std::cout << "`nnrt compare --layers` finds the first layer that differs.\n";
  return compared;
}

void print_times(const Built& model, const Answer& answer) {
  std::cout << "built in " << duration(model.build_ms) << ", first run " << duration(answer.ms.front());
  if (answer.ms.size() > 1) {
    const std::vector<double> after_the_first(answer.ms.begin() + 1, answer.ms.end());
    std::cout << ", median of " << after_the_first.size() << " more "
              << duration(percentile(after_the_first, 0.5));
  }
  std::cout << "\n\n";
}

Status run_model(const RunOptions& options) {
  std::vector<std::string> labels = attached_labels(options.model.model);
  if (!options.labels.empty()) {
    NNRT_ASSIGN(labels, read_labels(options.labels));
  }
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  NNRT_ASSIGN(const Built model, build(options, file));
  NNRT_ASSIGN(const std::vector<Input> inputs, inputs_for(options.model, file, model.inputs));
  const std::vector<Array> arrays = arrays_of(inputs);

  std::cout << "device: " << model.device << '\n';
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::cout << "input " << printable(model.inputs[i].name) << ": "
              << describe(arrays[i].type, arrays[i].shape) << ", " << inputs[i].origin << '\n';
  }
  NNRT_ASSIGN(const Answer answer, model.run(arrays));
  print_times(model, answer);
  std::vector<Output> outputs;
  for (size_t i = 0; i < answer.outputs.size(); ++i) outputs.push_back({model.outputs[i], answer.outputs[i]});
  report(std::cout, outputs, labels);
  NNRT_TRY(write_outputs(options.output, model, answer));
  NNRT_TRY(compare_with_file(options, file, model, answer));
  return compare_with(options, file, model, arrays, answer);
}

}  // namespace

void add_run(CommandLine& app, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CommandLine command = app.command("run", "Runs a model and prints its results");
  add_model_options(command, options->model);
  add_device_option(command, options->model);
  add_input_options(command, options->model);
  command
      .option("--labels", options->labels,
              "Names of classes, one a line; else those that are attached to the model")
      .type_name("FILE");
  command.option("-o,--output", options->output, "Write the outputs there as .npy").type_name("DIR");
  command
      .option("--compare", options->compare,
              "Run on this device too and print the largest differences; exit code 1 where one is larger "
              "than is tolerated, or where NaN or an infinity meets anything else")
      .type_name("DEVICE");
  add_tolerance_option(command, options->tolerance);
  command.option("--runs", options->runs, "How often to run").positive();
  command.flag("--async", options->async,
               "Run by OH_NNExecutor_RunAsync, or ANeuralNetworksExecution_startCompute");
  command
      .option("--api", options->api,
              "oh_nn, or nnapi: through Android's Neural Networks API (libneuralnetworks.so), whose runtime "
              "chooses where --device does not")
      .type_name("API")
      .shows_default();
  command.footer("\nExample: nnrt run mobilenet.tflite --input cat.jpg --labels imagenet.txt --compare cpu");
  command.when_called([options, &action] { action = [options] { return run_model(*options); }; });
}

}  // namespace nnrt::tool
