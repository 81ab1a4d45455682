#include "tools/nnrt/clock.h"
#include "tools/nnrt/command.h"
#include "tools/nnrt/files.h"
#include "tools/nnrt/npy.h"
#include "tools/nnrt/options.h"
#include "tools/nnrt/report.h"
#include "tools/nnrt/statistics.h"
#include "tools/nnrt/table.h"

#include <fstream>
#include <iostream>

namespace nnrt::tool {
namespace {

struct RunOptions {
  ModelOptions model;
  std::string labels, output, compare;
  unsigned runs = 1;
  bool async = false;
  double tolerance = -1;  // no limit
};

Result<std::vector<std::string>> read_labels(const std::string& path) {
  std::vector<std::string> labels;
  if (path.empty()) return labels;
  NNRT_ASSIGN(const Bytes file, read_file(path));
  std::istringstream text(std::string(reinterpret_cast<const char*>(file.data()), file.size()));
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    labels.push_back(line);
  }
  return labels;
}

struct Answer {
  std::vector<Array> outputs;
  std::vector<double> ms;
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

// A file name of a tensor's name: what is no letter, digit, dot or hyphen becomes an underscore.
std::string file_name(size_t index, const std::string& tensor) {
  std::string name = cat(index, '_', tensor);
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return name + ".npy";
}

Status write_outputs(const std::string& directory, const Executable& executable, const Answer& answer) {
  if (directory.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Error{Code::invalid_path,
                 cat("Directory (", directory, ") cannot be made: ", error.message(), ".")};
  }
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    const auto path = std::filesystem::path(directory) / file_name(i, executable.outputs()[i].name);
    NNRT_TRY(write_npy(path, answer.outputs[i]));
    std::cout << "wrote " << path.string() << '\n';
  }
  return {};
}

// Runs the same on another device and tells the differences.
Status compare_with(const RunOptions& options, const ModelFile& file, const Executable& executable,
                    std::span<const Array> inputs, const Answer& answer) {
  if (options.compare.empty()) return {};
  NNRT_ASSIGN(const Device device, find_device(options.compare));
  BuildOptions build = options.model.build;
  build.float16 = false;
  NNRT_ASSIGN(const Executable other, Executable::build(file, device, build));
  NNRT_ASSIGN(const Answer expected, run(other, inputs, 1, false));

  std::cout << "\ncompared with " << device.name << ":\n";
  using enum Table::Align;
  Table table({{"output", left},
               {"largest", right},
               {"relative", right},
               {"mean", right},
               {"where", left},
               {"got", right},
               {"want", right}});
  std::string beyond;
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    const Array& got = answer.outputs[i];
    const std::string& name = executable.outputs()[i].name;
    auto difference = compare(got, expected.outputs[i]);
    if (!difference.ok()) return std::move(difference).error().during("comparing output " + name);
    const Difference& d = difference.value();
    table.add({name, cat(d.largest), cat(d.largest_relative), cat(d.mean), place(got.shape, d.index),
               cat(d.got), cat(d.want)});
    if (d.mismatches > 0)
      std::cout << name << ": " << d.mismatches << " elements are finite on one device alone\n";
    const bool differs = d.mismatches > 0 || d.largest > options.tolerance;
    if (options.tolerance >= 0 && differs) beyond += cat(beyond.empty() ? "" : ", ", name);
  }
  table.print(std::cout);
  if (beyond.empty()) return {};
  return Error{Code::failed, cat("Outputs differ by more than ", options.tolerance, ": ", beyond, ".")};
}

void print_times(const Executable& executable, const Answer& answer) {
  std::cout << "built in " << duration(executable.build_ms()) << ", first run "
            << duration(answer.ms.front());
  if (answer.ms.size() > 1) {
    const std::vector<double> later(answer.ms.begin() + 1, answer.ms.end());
    std::cout << ", median of " << later.size() << " more " << duration(percentile(later, 0.5));
  }
  std::cout << "\n\n";
}

Status run_model(const RunOptions& options) {
  NNRT_ASSIGN(const std::vector<std::string> labels, read_labels(options.labels));
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  NNRT_ASSIGN(const Device device, choose_device(options.model));
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, options.model.build));
  NNRT_ASSIGN(const std::vector<Input> inputs, inputs_for(options.model, file, executable));
  const std::vector<Array> arrays = arrays_of(inputs);

  std::cout << "device: " << device.name << '\n';
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::cout << "input " << executable.inputs()[i].name << ": " << describe(arrays[i].type, arrays[i].shape)
              << ", " << inputs[i].origin << '\n';
  }
  NNRT_ASSIGN(const Answer answer, run(executable, arrays, options.runs, options.async));
  print_times(executable, answer);
  std::vector<Output> outputs;
  for (size_t i = 0; i < answer.outputs.size(); ++i)
    outputs.push_back({executable.outputs()[i], answer.outputs[i]});
  report(std::cout, outputs, labels);
  NNRT_TRY(write_outputs(options.output, executable, answer));
  return compare_with(options, file, executable, arrays, answer);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Runs a model and tells what it answers");
  add_model_options(*command, options->model);
  add_device_option(*command, options->model);
  add_input_options(*command, options->model);
  command->add_option("--labels", options->labels, "Names of classes, one a line")->type_name("FILE");
  command->add_option("-o,--output", options->output, "Write the outputs there as .npy")->type_name("DIR");
  command
      ->add_option("--compare", options->compare, "Run on this device too and tell the largest differences")
      ->type_name("DEVICE");
  command->add_option("--tolerance", options->tolerance, "With --compare: fail where a difference is larger")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--runs", options->runs, "How often to run")->check(CLI::PositiveNumber);
  command->add_flag("--async", options->async, "Run by OH_NNExecutor_RunAsync");
  command->footer("\nExample: nnrt run mobilenet.tflite --input cat.jpg --labels imagenet.txt --compare cpu");
  command->callback([options, &action] { action = [options] { return run_model(*options); }; });
}

}  // namespace nnrt::tool
