#include "core/base/text.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/base/temporary_file.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/session/layer_groups.h"
#include "tools/nnrt/session/profile.h"

#include <algorithm>
#include <iostream>
#include <map>

namespace nnrt::tool {
namespace {

struct ProfileCommand {
  ModelOptions model;
  ProfileOptions profile;
  std::string trace;
  size_t top = 15;
};

// A rate in units of a thousand million: GFLOP/s, GB/s.
std::string rate(double amount, double ms) {
  return amount > 0 && ms > 0 ? fixed(amount / ms * 1e-6, 2) : "";
}

std::string share(double part, double whole) { return whole > 0 ? fixed(100 * part / whole, 1) + " %" : ""; }

// A line of a table, and those of the nodes beneath it.
struct Row {
  std::string number, op, name, device, output;
  size_t count = 1;
  Work work;
  std::vector<Row> nodes;
};

Row row_of(const NodeTime& node, const std::string& number) {
  return {number, node.op, node.op, node.device, cat(node.dtype, ' ', node.shapes), 1, node.work, {}};
}

// The operations themselves, where the file does not name its operators.
std::vector<Row> rows_of(const Profile& profile) {
  std::vector<Row> rows;
  for (const OperationTime& time : profile.operations) {
    Row row = row_of(time.main_node(), std::to_string(time.operation));
    row.work = time.work;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::vector<size_t>> kernels_of(const Profile& profile) {
  std::vector<std::vector<size_t>> kernels;
  for (const OperationTime& time : profile.operations) kernels.push_back(time.operations);
  return kernels;
}

// The operators of the file, with the nodes that were made of them.
std::vector<Row> rows_of(const Profile& profile, const import::Network& network) {
  const std::vector<LayerGroup> groups = group_by_layers(network, kernels_of(profile));
  if (groups.empty()) return rows_of(profile);
  const std::vector<size_t> places = groups_of_operations(groups, network.operations.size());
  std::vector<Row> rows;
  for (const LayerGroup& group : groups)
    rows.push_back({"", group.operators, group.label, "", "", 1, {}, {}});
  for (const OperationTime& time : profile.operations) {
    if (time.operation >= places.size()) continue;
    Row& row = rows[places[time.operation]];
    row.work.add(time.work);
    row.device = time.main_node().device;
    row.output = cat(time.nodes.back().dtype, ' ', time.nodes.back().shapes);
    for (const NodeTime& node : time.nodes) row.nodes.push_back(row_of(node, std::to_string(time.operation)));
  }
  std::erase_if(rows, [](const Row& row) { return row.nodes.empty(); });
  return rows;
}

// One row for all of an operator on a device, the longest first.
std::vector<Row> summed(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, Row> sums;
  for (const Row& row : rows) {
    const auto [sum, is_new] =
        sums.try_emplace({row.op, row.device}, Row{"", row.op, row.op, row.device, "", 0, {}, {}});
    sum->second.count += row.count;
    sum->second.work.add(row.work);
    sum->second.nodes.insert(sum->second.nodes.end(), row.nodes.begin(), row.nodes.end());
  }
  std::vector<Row> sorted;
  for (auto& [key, sum] : sums) sorted.push_back(std::move(sum));
  for (Row& row : sorted) {
    if (!row.nodes.empty()) row.nodes = summed(row.nodes);
  }
  std::ranges::stable_sort(sorted, std::greater{}, [](const Row& row) { return row.work.ms; });
  return sorted;
}

// The last cells of every line.
std::vector<std::string> figures(const Work& work, double whole) {
  return {duration(work.ms), share(work.ms, whole), rate(work.flops, work.ms), rate(work.bytes, work.ms)};
}

void add_line(Table& table, std::vector<std::string> cells, const std::vector<std::string>& figures) {
  cells.insert(cells.end(), figures.begin(), figures.end());
  table.add(std::move(cells));
}

void print_operators(const Profile& profile, const std::vector<Row>& rows) {
  using enum Table::Align;
  Table table({{"operator", left},
               {"device", left},
               {"count", right},
               {"time", right},
               {"share", right},
               {"GFLOP/s", right},
               {"GB/s", right}});
  const double whole = profile.operations_ms();
  for (const Row& row : summed(rows)) {
    add_line(table, {row.name, row.device, std::to_string(row.count)}, figures(row.work, whole));
    for (const Row& node : row.nodes)
      add_line(table, {"  " + node.name, node.device, std::to_string(node.count)}, figures(node.work, whole));
  }
  table.print(std::cout);
}

void print_operations(const Profile& profile, std::vector<Row> rows, size_t top) {
  const size_t all = rows.size();
  const bool are_layers = std::ranges::any_of(rows, [](const Row& row) { return !row.nodes.empty(); });
  std::ranges::stable_sort(rows, std::greater{}, [](const Row& row) { return row.work.ms; });
  rows.resize(std::min(rows.size(), top));
  using enum Table::Align;
  Table table({{"#", right},
               {"operator", left},
               {"output", left},
               {"time", right},
               {"share", right},
               {"GFLOP/s", right},
               {"GB/s", right}});
  const double whole = profile.operations_ms();
  for (const Row& row : rows) {
    add_line(table, {row.number, row.name, row.output}, figures(row.work, whole));
    for (const Row& node : row.nodes)
      add_line(table, {node.number, "  " + node.name, node.output}, figures(node.work, whole));
  }
  std::cout << "\nthe " << rows.size() << " longest of " << all
            << (are_layers ? " layers:\n" : " operations:\n");
  table.print(std::cout);
}

Status profile_model(const ProfileCommand& command) {
  expect_steady_runs();
  NNRT_ASSIGN(const ModelFile file, open(command.model));
  NNRT_ASSIGN(const Device device, choose_device(command.model));
  NNRT_ASSIGN(const std::vector<Array> inputs, inputs_of(command.model, file, device));
  NNRT_ASSIGN(const TemporaryFile temporary, TemporaryFile::create("trace.json"));
  const std::filesystem::path trace =
      command.trace.empty() ? temporary.path() : std::filesystem::path(command.trace);
  ProfileOptions options = command.profile;
  options.build = command.model.build;
  NNRT_ASSIGN(const Profile profile, tool::profile(file, device, inputs, options, trace));

  std::cout << file.path.filename().string() << " on " << device.name << ": " << duration(profile.run_ms)
            << " a run (" << profile.runs << " runs), " << duration(profile.operations_ms())
            << " in operations\n\n";
  const std::vector<Row> rows = file.network ? rows_of(profile, *file.network) : rows_of(profile);
  print_operators(profile, rows);
  print_operations(profile, rows, command.top);
  if (!command.trace.empty())
    std::cout << "\nwrote " << command.trace << ", for ui.perfetto.dev or chrome://tracing\n";
  return {};
}

}  // namespace

void add_profile(CommandLine& app, Action& action) {
  const auto options = std::make_shared<ProfileCommand>();
  CommandLine command = app.command("profile", "Shows which operations take the time");
  add_model_options(command, options->model);
  add_device_option(command, options->model);
  add_input_options(command, options->model);
  command.option("--trace", options->trace, "Keep the trace, for ui.perfetto.dev or chrome://tracing")
      .type_name("FILE");
  command.option("--runs", options->profile.runs, "Runs that count").positive().shows_default();
  command.option("--warmup", options->profile.warmup, "Runs before that do not").shows_default();
  command.option("--top", options->top, "How many of the longest operations to list").shows_default();
  command.footer("\nExample: nnrt profile mobilenet.tflite --device gpu --trace trace.json");
  command.when_called([options, &action] { action = [options] { return profile_model(*options); }; });
}

}  // namespace nnrt::tool
