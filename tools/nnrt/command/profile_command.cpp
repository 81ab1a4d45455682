#include "core/base/counted.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/base/temporary_file.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/session/profile_rows.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iostream>

namespace nnrt::tool {
namespace {

struct ProfileCommand {
  ModelOptions model;
  ProfileOptions profile;
  std::string trace;
  size_t top = 15;
  bool json = false;
};

// A rate in GFLOP/s or GB/s.
std::string rate(double amount, double ms) {
  return amount > 0 && ms > 0 ? fixed(amount / ms * 1e-6, 2) : "";
}

std::string share(double part, double whole) { return whole > 0 ? fixed(100 * part / whole, 1) + " %" : ""; }

// The last cells of each row.
std::vector<std::string> figures(const Work& work, double whole) {
  return {duration(work.ms), share(work.ms, whole), rate(work.flops, work.ms), rate(work.bytes, work.ms)};
}

void add_line(Table& table, std::vector<std::string> cells, const std::vector<std::string>& figures) {
  cells.insert(cells.end(), figures.begin(), figures.end());
  table.add(std::move(cells));
}

void print_operators(const Profile& profile, const std::vector<ProfileRow>& rows) {
  using enum Table::Align;
  Table table({{"operator", left, true},
               {"device", left, true},
               {"count", right},
               {"time", right, false, Style::time},
               {"share", right},
               {"GFLOP/s", right},
               {"GB/s", right}});
  const double whole = profile.operations_ms();
  for (const ProfileRow& row : summed(rows)) {
    add_line(table, {row.name, short_name(row.device), std::to_string(row.count)}, figures(row.work, whole));
    for (const ProfileRow& node : row.nodes)
      add_line(table, {"  " + node.name, short_name(node.device), std::to_string(node.count)},
               figures(node.work, whole));
  }
  table.print(std::cout);
}

std::string number_of(const ProfileRow& row) { return row.operation ? std::to_string(*row.operation) : ""; }

void print_operations(const Profile& profile, std::vector<ProfileRow> rows, size_t top) {
  const size_t all = rows.size();
  const bool are_layers = std::ranges::any_of(rows, [](const ProfileRow& row) { return !row.nodes.empty(); });
  std::ranges::stable_sort(rows, std::greater{}, [](const ProfileRow& row) { return row.work.ms; });
  rows.resize(std::min(rows.size(), top));
  using enum Table::Align;
  Table table({{"#", right},
               {"operator", left, true},
               {"output", left, true},
               {"time", right, false, Style::time},
               {"share", right},
               {"GFLOP/s", right},
               {"GB/s", right}});
  const double whole = profile.operations_ms();
  for (const ProfileRow& row : rows) {
    add_line(table, {number_of(row), row.name, row.output}, figures(row.work, whole));
    for (const ProfileRow& node : row.nodes)
      add_line(table, {number_of(node), "  " + node.name, node.output}, figures(node.work, whole));
  }
  print_with_headings(std::cout, cat("\nthe ", rows.size(), " longest of ", all,
                                     are_layers ? " layers:\n" : " operations:\n"));
  table.print(std::cout);
}

void print_document(const ProfileCommand& command, const Device& device, const Profile& profile,
                    const std::vector<ProfileRow>& rows) {
  nlohmann::ordered_json json{
      {"model", command.model.model}, {"device", device.name},    {"device_id", std::to_string(device.id)},
      {"runs", profile.runs},         {"run_ms", profile.run_ms}, {"operations_ms", profile.operations_ms()},
      {"operations", to_json(rows)}};
  if (!command.trace.empty()) json["trace"] = command.trace;
  print_json(std::cout, json);
}

Status profile_model(const ProfileCommand& command) {
  if (!command.trace.empty()) NNRT_TRY(check_writable(command.trace));
  expect_steady_runs();
  NNRT_ASSIGN(const ModelFile file, open(command.model));
  NNRT_ASSIGN(const Device device, choose_device(command.model, file));
  NNRT_ASSIGN(const std::vector<Array> inputs, inputs_of(command.model, file, device));
  NNRT_ASSIGN(const TemporaryFile temporary, TemporaryFile::create("trace.json"));
  const std::filesystem::path trace =
      command.trace.empty() ? temporary.path() : std::filesystem::path(command.trace);
  ProfileOptions options = command.profile;
  options.build = command.model.build;
  NNRT_ASSIGN(const Profile profile, tool::profile(file, device, inputs, options, trace));

  const std::vector<ProfileRow> rows = rows_of(profile, file);
  if (command.json) {
    print_document(command, device, profile, rows);
    return {};
  }
  std::cout << printable(file.path.filename().string()) << " on " << short_name(device.name) << ":\n";
  print_styled(std::cout, Style::time, duration(profile.run_ms));
  std::cout << " a run (" << counted(profile.runs, "run") << "), " << duration(profile.operations_ms())
            << " in operations\n\n";
  print_operators(profile, rows);
  print_operations(profile, rows, command.top);
  if (!command.trace.empty())
    std::cout << "\nwrote " << command.trace << ", for ui.perfetto.dev or chrome://tracing\n";
  return {};
}

}  // namespace

void add_profile(CommandLine& app, Action& action) {
  const auto options = std::make_shared<ProfileCommand>();
  CommandLine command = app.command("profile", "Shows the time spent in each layer and operation");
  add_model_options(command, options->model);
  add_device_option(command, options->model);
  add_input_options(command, options->model);
  command
      .option("--trace", options->trace, "Write the trace to FILE, for ui.perfetto.dev or chrome://tracing")
      .type_name("FILE");
  command.option("--runs", options->profile.runs, "Number of measured runs")
      .positive()
      .max(kMaxRuns)
      .shows_default();
  command.option("--warmup", options->profile.warmup, "Number of warm-up runs").max(kMaxRuns).shows_default();
  command.option("--top", options->top, "Number of slowest layers, or operations, to list").shows_default();
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt profile mobilenet.tflite --device gpu --trace trace.json");
  set_model_action(command, action, options->model, [options] { return profile_model(*options); });
}

}  // namespace nnrt::tool
