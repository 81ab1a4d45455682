// Compiles the kernels of models with the driver's compiler and judges them by what it reports: a pipeline
// that cannot be created, spills registers or takes two seconds to compile is an error. Nothing runs, so the
// driver may be for a GPU that is not there (RADV_FORCE_FAMILY). Needs the layer VK_LAYER_NNRT_statistics.
//   compiled_kernels [--fp16] [--cores N] [--list] [--steps FOLDER] MODEL...
// MODEL is a model file, a folder of ONNX files, or golden cases (.jsonl) or a folder of them. --fp16 permits
// fp16 computation. --list prints a row for each pipeline; --steps writes all that
// bench/report/planned_times.py needs: a row for each step of each model file that is named to
// FOLDER/steps.tsv, and the code of each pipeline. NNRT_VULKAN_KERNELS
// forces or forbids kernels.
#include "backends/vulkan/device/vk_instance.h"
#include "backends/vulkan/pipeline/pipeline_cache.h"
#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/program/node_support.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "core/base/text.h"
#include "core/device/node_cost.h"
#include "core/passes/normalize.h"
#include "core/schema/schema.h"
#include "tests/compilers/planned_program.h"
#include "tests/support/golden_case.h"
#include "tests/support/model_graph.h"
#include "tests/support/statistics_layer/statistics_layer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace nnrt;
using statistics::CompileRecord;
using vulkan::Dispatch;

// A table of the steps of planned programs with what the driver's compiler reports about each, for
// bench/report/planned_times.py.
class StepTable {
 public:
  // Writes `folder`/steps.tsv, and the code of pipeline N to `folder`/N.txt. Throws if it cannot.
  explicit StepTable(std::string folder);

  void add_pipeline(size_t number, const CompileRecord& compiled) const;
  void add_step(const std::string& model, const test::PlannedProgram& planned, size_t step, size_t pipeline,
                const CompileRecord& compiled);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  File opened(const std::string& name) const;

  const std::string folder_;
  File rows_;
};

constexpr const char* kHeader =
    "model\tstep\tbarrier\tnode\top\tfp16\tflops\ttensor_bytes\tbytes\tshader\tconstants\t"
    "groups\tinvocations\titerations\tpipeline\tstatistics\n";

uint64_t product(const vulkan::Size3& size) { return uint64_t{size[0]} * size[1] * size[2]; }

std::string statistics_of(const CompileRecord& compiled) {
  std::string text;
  for (const auto& [name, value] : compiled.values) text += cat(text.empty() ? "" : ";", name, "=", value);
  return text;
}

StepTable::StepTable(std::string folder) : folder_(std::move(folder)), rows_(opened("steps.tsv")) {
  std::fputs(kHeader, rows_.get());
}

StepTable::File StepTable::opened(const std::string& name) const {
  const std::string path = cat(folder_, "/", name);
  File file(std::fopen(path.c_str(), "w"));
  if (file == nullptr) throw std::runtime_error(cat("Cannot write ", path, "."));
  return file;
}

void StepTable::add_pipeline(size_t number, const CompileRecord& compiled) const {
  std::fputs(compiled.code.c_str(), opened(cat(number, ".txt")).get());
}

void StepTable::add_step(const std::string& model, const test::PlannedProgram& planned, size_t nth,
                         size_t pipeline, const CompileRecord& compiled) {
  const Graph& graph = *planned.graph;
  const vulkan::Step& step = planned.program.steps[nth];
  const auto& dispatch = std::get<vulkan::Dispatch>(step.command);
  const bool has_node = step.node != vulkan::kNoNode;
  const Cost cost = has_node ? cost_of(graph, graph.nodes[step.node], graph.shapes).value_or(Cost{}) : Cost{};
  uint64_t bytes = 0;
  for (const vulkan::BufferRegion& region : step.regions) bytes += region.bytes;
  std::string constants;
  for (const uint32_t one : dispatch.constants) constants += cat(constants.empty() ? "" : " ", one);
  const std::string row =
      cat(model, "\t", nth, "\t", int(step.barrier), "\t", has_node ? cat(step.node) : "-", "\t",
          has_node ? std::string(short_name(graph.nodes[step.node].op)) : "-", "\t",
          int(dispatch.fp16_bindings != 0), "\t", cost.flops, "\t", cost.bytes, "\t", bytes, "\t",
          dispatch.shader, "\t", constants, "\t", product(step.groups), "\t", product(dispatch.local), "\t",
          dispatch.iterations, "\t", pipeline, "\t", statistics_of(compiled), "\n");
  std::fputs(row.c_str(), rows_.get());
}

constexpr double kSlowestMilliseconds = 2000;

vulkan::DevicePlan first_plan(VkPhysicalDevice physical, uint32_t cores) {
  const char* const text = std::getenv("NNRT_VULKAN_KERNELS");
  const KernelSwitch kernels =
      parse_kernel_switch("NNRT_VULKAN_KERNELS", text == nullptr ? "" : text, vulkan::kernel_names());
  vulkan::Snapshot snapshot = vulkan::take_snapshot(physical);
  if (cores != 0) snapshot.cores = cores;
  return vulkan::plan(snapshot, kernels).value();
}

// The first of these statistics that the driver reports.
double statistic(const CompileRecord& compiled, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = compiled.values.find(name); found != compiled.values.end()) return found->second;
  }
  return 0;
}

double spills(const CompileRecord& compiled) {
  double sum = 0;
  for (const auto& [name, value] : compiled.values)
    if (name.find("pill") != name.npos || name.find("cratch") != name.npos) sum += value;
  return sum;
}

std::string why_bad(const CompileRecord& compiled) {
  if (compiled.result != VK_SUCCESS) return cat("vkCreateComputePipelines returned ", int(compiled.result));
  if (spills(compiled) > 0) return cat("it spills ", spills(compiled), " registers or bytes");
  if (compiled.milliseconds > kSlowestMilliseconds) return cat("it took ", compiled.milliseconds, " ms");
  return "";
}

// Sorted.
std::vector<std::filesystem::path> onnx_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Of golden cases, those that are composed without an error.
std::vector<GraphPtr> graphs_of(const std::filesystem::path& model) {
  const bool is_folder = std::filesystem::is_directory(model);
  if (!is_folder && model.extension() != ".jsonl") return {test::graph_of_file(model)};
  std::vector<GraphPtr> graphs;
  if (is_folder)
    for (const std::filesystem::path& file : onnx_files(model)) graphs.push_back(test::graph_of_file(file));
  if (!graphs.empty()) return graphs;
  conformance::Collection collection;
  conformance::load(model, collection);
  for (const conformance::Case& one : collection.cases)
    if (const test::Composed composed = test::compose(one); composed.graph) graphs.push_back(composed.graph);
  return graphs;
}

// Without a program if the device does not support the graph, or its shapes are open.
std::optional<test::PlannedProgram> program_of(const GraphPtr& model, const vulkan::DevicePlan& plan,
                                               bool float16) {
  const GraphPtr graph = normalize(model);
  if (!std::ranges::all_of(graph->shapes, is_static)) return std::nullopt;
  const std::vector<Refusal> refusals = vulkan::node_refusals(*graph, plan);
  if (std::ranges::any_of(refusals, &Refusal::has_value)) return std::nullopt;
  return test::planned_program(graph, plan, float16).value();
}

std::string text_of(const std::vector<uint32_t>& constants) {
  std::string text;
  for (const uint32_t one : constants) text += cat(text.empty() ? "" : " ", one);
  return text;
}

// Compiles each distinct pipeline once.
class Compilation {
 public:
  Compilation(const vulkan::Context& context, bool lists) : context_(context), lists_(lists) {
    if (lists_) {
      std::printf(
          "| kernel | constants | registers | waves | shared memory | code | latency | issue | ms |\n");
      std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    }
  }

  struct PipelineRecord {
    size_t number = 0;
    CompileRecord compiled;
  };

  // What is known about the dispatch's pipeline.
  const PipelineRecord& add(const Dispatch& dispatch) {
    const auto& [shader, constants, local, fp16, rounded] =
        std::tie(dispatch.shader, dispatch.constants, dispatch.local, dispatch.fp16_bindings,
                 dispatch.rounded_bindings);
    const auto [entry, is_new] = known_.try_emplace(std::tuple(shader, constants, local, fp16, rounded));
    PipelineRecord& known = entry->second;
    if (!is_new) return known;
    known.number = known_.size();
    const Dispatch* const one[] = {&dispatch};
    const auto made = context_.pipelines().get(one, [](const auto&, const auto&) { return Status(); });
    const std::vector<CompileRecord> compiled = statistics::take_compiled();
    if (!made.ok()) fail(dispatch, made.error().message);
    for (const CompileRecord& of : compiled) {
      if (const std::string why = why_bad(of); !why.empty()) fail(dispatch, why);
      if (lists_) list(dispatch, of);
      slowest_ = std::max(slowest_, of.milliseconds);
      ++pipelines_;
    }
    if (!compiled.empty()) known.compiled = compiled.back();
    return known;
  }

  size_t pipelines() const { return pipelines_; }
  size_t failures() const { return failures_; }
  double slowest() const { return slowest_; }

 private:
  void fail(const Dispatch& dispatch, const std::string& why) {
    ++failures_;
    std::fprintf(stderr, "%s (%s): %s\n", std::string(dispatch.shader).c_str(),
                 text_of(dispatch.constants).c_str(), why.c_str());
  }
  static void list(const Dispatch& dispatch, const CompileRecord& of) {
    std::printf("| %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n",
                std::string(dispatch.shader).c_str(), text_of(dispatch.constants).c_str(),
                statistic(of, {"VGPRs", "Max live registers"}), statistic(of, {"Subgroups per SIMD"}),
                statistic(of, {"LDS size", "LDS Size"}), statistic(of, {"Code size", "Instruction Count"}),
                statistic(of, {"Latency", "Cycle Count"}), statistic(of, {"Inverse Throughput"}),
                of.milliseconds);
  }

  const vulkan::Context& context_;
  const bool lists_;
  std::map<std::tuple<std::string_view, std::vector<uint32_t>, vulkan::Size3, uint32_t, uint32_t>,
           PipelineRecord>
      known_;
  size_t pipelines_ = 0, failures_ = 0;
  double slowest_ = 0;
};

struct Arguments {
  bool float16 = false, lists = false;
  uint32_t cores = 0;
  std::optional<std::string> steps;
  std::vector<std::string> models;
};

Arguments arguments_of(const std::vector<std::string>& words) {
  Arguments given;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    given.float16 = given.float16 || word == "--fp16";
    given.lists = given.lists || word == "--list";
    if (word == "--steps" && i + 1 < words.size())
      given.steps = words[++i];
    else if (word == "--cores" && i + 1 < words.size())
      given.cores = uint32_t(std::stoul(words[++i]));
    else if (!word.starts_with("--"))
      given.models.push_back(word);
  }
  return given;
}

// Compiles a program's pipelines, and adds its steps to the table if there is one.
void compile(const std::string& name, const test::PlannedProgram& planned, Compilation& compilation,
             StepTable* table) {
  for (size_t i = 0; i < planned.program.steps.size(); ++i) {
    const auto* const dispatch = std::get_if<Dispatch>(&planned.program.steps[i].command);
    if (dispatch == nullptr) continue;
    const size_t before = compilation.pipelines();
    const auto& [number, compiled] = compilation.add(*dispatch);
    if (table == nullptr) continue;
    if (compilation.pipelines() > before) table->add_pipeline(number, compiled);
    table->add_step(name, planned, i, number, compiled);
  }
}

int run(const std::vector<std::string>& words) {
  const Arguments given = arguments_of(words);
  std::optional<StepTable> table;
  if (given.steps) {
    table.emplace(*given.steps);
    statistics::capture_code();
  }
  const VkPhysicalDevice physical = vulkan::physical_devices().value().at(0);
  const vulkan::DevicePlan plan = first_plan(physical, given.cores);
  const vulkan::ContextPtr context = vulkan::Context::create(physical, plan).value();
  Compilation compilation(*context, given.lists);
  for (const std::filesystem::path model : given.models) {
    const bool is_network = std::filesystem::is_regular_file(model) && model.extension() != ".jsonl";
    StepTable* const own_table = table && is_network ? &*table : nullptr;
    for (const GraphPtr& graph : graphs_of(model)) {
      const auto planned = program_of(graph, plan, given.float16);
      if (planned) compile(model.stem(), *planned, compilation, own_table);
    }
  }
  std::printf("%s: %zu pipelines, %zu failures, the slowest in %.0f ms\n", plan.name.c_str(),
              compilation.pipelines(), compilation.failures(), compilation.slowest());
  return compilation.pipelines() > 0 && compilation.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compiled_kernels: %s\n", error.what());
    return 1;
  }
}
