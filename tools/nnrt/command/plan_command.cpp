#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/base/temporary_file.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/plan/plan.h"
#include "tools/nnrt/session/profile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <utility>

namespace nnrt::tool {
namespace {

struct PlanOptions {
  ModelOptions model;
  std::string html, dot;
  bool profile = false;
  bool kernels = false;
  bool json = false;
};

// Adds times measured in a traced run.
Status add_times(Plan& plan, const PlanOptions& options, const ModelFile& file, const Device& device) {
  if (!options.profile) return {};
  NNRT_ASSIGN(const std::vector<Array> inputs, inputs_of(options.model, file, device));
  NNRT_ASSIGN(const TemporaryFile trace, TemporaryFile::create("trace.json"));
  NNRT_ASSIGN(const Profile measured, profile(file, device, inputs, {options.model.build}, trace.path()));
  std::map<size_t, double> times;
  for (const OperationTime& time : measured.operations) times.emplace(time.operation, time.work.ms);
  for (PlanNode& node : plan.nodes) {
    if (const auto time = times.find(node.operation); time != times.end()) node.ms = time->second;
  }
  return {};
}

using Cells = std::vector<std::string>;

// Tables of nodes: their number, operator and device, the time if it was measured, and further columns.
class NodeTable {
 public:
  using Add = std::function<void(Table& table, Cells first, const PlanNode& node)>;

  explicit NodeTable(const Plan& plan)
      : plan_(plan),
        has_times_(std::ranges::any_of(plan.nodes, [](const PlanNode& node) { return node.ms > 0; })) {}

  // With a heading for each layer above its nodes, or just the nodes if the file names no layers.
  void print(const std::vector<Table::Column>& further, const Add& add) const {
    using enum Table::Align;
    std::vector<Table::Column> columns{{"#", right}, {"operator", left, true}, {"device", left, true}};
    if (has_times_) columns.push_back({"time", right});
    columns.insert(columns.end(), further.begin(), further.end());
    const size_t width = columns.size();
    Table table(std::move(columns));
    std::map<std::optional<size_t>, std::vector<const PlanNode*>> layers;
    for (const PlanNode& node : plan_.nodes) layers[node.layer].push_back(&node);
    for (const auto& [layer, nodes] : layers) {
      Cells title(width);
      if (layer) title[1] = plan_.layers[*layer].label;
      if (layer) table.add(std::move(title));
      for (const PlanNode* node : nodes) add(table, first_cells(*node), *node);
    }
    table.print(std::cout);
  }

 private:
  Cells first_cells(const PlanNode& node) const {
    Cells cells{std::to_string(node.operation), (node.layer ? "  " : "") + node.op, node.device};
    if (has_times_) cells.push_back(node.ms > 0 ? duration(node.ms) : "");
    return cells;
  }

  const Plan& plan_;
  const bool has_times_;
};

void print_nodes(const Plan& plan) {
  using enum Table::Align;
  NodeTable(plan).print({{"output", left}, {"why there", left}},
                        [&](Table& table, Cells cells, const PlanNode& node) {
                          const bool writes = !node.outputs.empty();
                          cells.push_back(writes ? to_string(plan.tensors[node.outputs[0]].shape) : "");
                          cells.push_back(node.reason);
                          table.add(std::move(cells));
                        });
}

// The last cells name a declined implementation and the reason; further ones get rows of their own.
void add_kernel(Table& table, Cells cells, const PlanKernel& kernel) {
  cells.push_back(kernel.name.empty() ? "none" : kernel.name);
  const size_t width = cells.size() + 2;
  for (const auto& [name, why] : kernel.declined) {
    cells.insert(cells.end(), {name, why});
    table.add(std::exchange(cells, Cells(width - 2)));
  }
  cells.resize(width);
  if (kernel.declined.empty()) table.add(std::move(cells));
}

void print_kernels(const Plan& plan) {
  using enum Table::Align;
  NodeTable(plan).print(
      {{"implementation", left, true}, {"not taken", left, true}, {"why not", left}},
      [](Table& table, Cells cells, const PlanNode& node) {
        if (node.kernels.empty()) {
          cells.insert(cells.end(), {node.is_fused ? "fused" : node.is_removed ? "removed" : "", "", ""});
          return table.add(std::move(cells));
        }
        for (const PlanKernel& kernel : node.kernels) {
          add_kernel(table, cells, kernel);
          cells.assign(cells.size(), "");
        }
      });
}

void print_skipped_passes(const Plan& plan) {
  using enum Table::Align;
  Table table({{"partition", right}, {"device", left, true}, {"pass", left}, {"why not", left}});
  for (const PlanPass& pass : plan.passes) {
    if (!pass.why_not.empty())
      table.add(
          {pass.partition ? std::to_string(*pass.partition) : "", pass.device, pass.name, pass.why_not});
  }
  if (table.empty()) return;
  print_with_headings(std::cout, "\npasses that did not run:\n");
  table.print(std::cout);
}

void print_borders(const Plan& plan) {
  const std::vector<PlanEdge> borders = plan.borders();
  if (borders.empty()) return;
  using enum Table::Align;
  Table table({{"border", left, true}, {"from", left, true}, {"to", left, true}, {"size", right}});
  uint64_t sum = 0;
  bool has_open = false;
  for (const PlanEdge& border : borders) {
    const PlanTensor& tensor = plan.tensors[border.tensor];
    table.add({tensor.name, plan.nodes[border.from].device, plan.nodes[border.to].device,
               tensor.bytes > 0 ? byte_size(tensor.bytes) : "?"});
    sum += tensor.bytes;
    has_open |= tensor.bytes == 0;
  }
  print_with_headings(std::cout,
                      cat("\nbetween devices, ", has_open ? "at least " : "", byte_size(sum), " a run:\n"));
  table.print(std::cout);
}

void print_summary(const Plan& plan) {
  std::map<std::string, size_t> counts;
  for (const PlanNode& node : plan.nodes) ++counts[node.device];
  std::cout << '\n';
  if (!plan.choice.empty()) print_wrapped(std::cout, plan.choice);
  for (const auto& [device, count] : counts) {
    std::cout << device << ": " << count << " of " << counted(plan.nodes.size(), "operation") << "\n";
  }
  for (const Arena& arena : plan.arenas) {
    std::cout << arena.device << ": " << byte_size(arena.bytes) << " of memory for "
              << counted(arena.blocks.size(), "tensor") << "\n";
  }
}

// Replaces device names by their short forms.
Plan with_short_names(Plan plan) {
  for (PlanNode& node : plan.nodes) node.device = short_name(node.device);
  for (PlanPass& pass : plan.passes) pass.device = short_name(pass.device);
  for (Arena& arena : plan.arenas) arena.device = short_name(arena.device);
  return plan;
}

// Points out inputs with dynamic dimensions: implementations are chosen in the run.
void print_open_shapes(const ModelOptions& options, const ModelFile& file) {
  if (!file.network) return;
  std::vector<import::Tensor> inputs;
  for (const import::TensorId id : file.network->inputs) inputs.push_back(file.network->tensors[id]);
  if (std::ranges::none_of(inputs, [](const import::Tensor& input) { return is_dynamic(input.shape); }))
    return;
  const std::vector<Shape> shapes = usual_shapes_of(options, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_dynamic(inputs[i].shape)) continue;
    const std::string open =
        cat("The shape of input ", inputs[i].name, " is open: ", to_string(inputs[i].shape));
    if (!shapes.empty()) inputs[i].shape = shapes[i];
    print_wrapped(std::cout,
                  cat(open, ". `--shape ", shape_pattern(inputs[i]), "` plans a run of that shape."));
  }
}

void print_plan(const Plan& full, bool shows_kernels) {
  const Plan plan = with_short_names(full);
  if (shows_kernels) {
    print_kernels(plan);
    print_skipped_passes(plan);
  } else {
    print_nodes(plan);
  }
  print_borders(plan);
  print_summary(plan);
}

// Returns the written files.
Result<std::vector<std::string>> write_files(const PlanOptions& options, const Plan& plan) {
  std::vector<std::string> files;
  if (!options.html.empty()) {
    NNRT_TRY(write_file(options.html, to_html(plan)));
    files.push_back(options.html);
  }
  if (!options.dot.empty()) {
    NNRT_TRY(write_file(options.dot, to_dot(plan)));
    files.push_back(options.dot);
  }
  return files;
}

Status show_plan(const PlanOptions& options) {
  for (const std::string& path : {options.html, options.dot})
    if (!path.empty()) NNRT_TRY(check_writable(path));
  if (options.profile) expect_steady_runs();
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  NNRT_ASSIGN(const Device device, choose_device(options.model, file));
  NNRT_ASSIGN(Plan plan, make_plan(file, device, options.model.build));
  NNRT_TRY(add_times(plan, options, file, device));
  NNRT_ASSIGN(const std::vector<std::string> files, write_files(options, plan));
  if (options.json) {
    nlohmann::ordered_json json = to_json(plan);
    json["model"] = options.model.model;
    json["files"] = files;
    print_json(std::cout, json);
    return {};
  }
  if (files.empty()) {
    print_plan(plan, options.kernels);
    print_open_shapes(options.model, file);
  }
  for (const std::string& written : files) std::cout << "wrote " << written << '\n';
  return {};
}

}  // namespace

void add_plan(CommandLine& app, Action& action) {
  const auto options = std::make_shared<PlanOptions>();
  CommandLine command = app.command("plan", "Shows where each operation runs and why, and memory use");
  add_model_options(command, options->model);
  add_device_option(command, options->model);
  add_input_options(command, options->model);
  command.option("--html", options->html, "Write a self-contained HTML page").type_name("FILE");
  command.option("--dot", options->dot, "Write a Graphviz graph").type_name("FILE");
  command.flag("--kernels", options->kernels,
               "Show the implementation of each operation, and why others were not chosen and passes did "
               "not run");
  command.flag("--profile", options->profile, "Run the model and show the time of each operation");
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt plan mobilenet.tflite --device gpu --profile --html plan.html");
  set_model_action(command, action, options->model, [options] { return show_plan(*options); });
}

}  // namespace nnrt::tool
