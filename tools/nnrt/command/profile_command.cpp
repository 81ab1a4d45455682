#include "core/base/text.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/base/temporary_file.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
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

void print_operators(const Profile& profile) {
  struct Sum {
    size_t count = 0;
    double ms = 0, flops = 0, bytes = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const OperationTime& time : profile.operations) {
    Sum& sum = sums[{time.op, time.device}];
    ++sum.count;
    sum.ms += time.ms;
    sum.flops += time.flops;
    sum.bytes += time.bytes;
  }
  std::vector<std::pair<std::pair<std::string, std::string>, Sum>> sorted(sums.begin(), sums.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& row) { return row.second.ms; });
  using enum Table::Align;
  Table table({{"operator", left},
               {"device", left},
               {"count", right},
               {"time", right},
               {"share", right},
               {"GFLOP/s", right},
               {"GB/s", right}});
  for (const auto& [key, sum] : sorted) {
    table.add({key.first, key.second, std::to_string(sum.count), duration(sum.ms),
               share(sum.ms, profile.operations_ms()), rate(sum.flops, sum.ms), rate(sum.bytes, sum.ms)});
  }
  table.print(std::cout);
}

void print_operations(const Profile& profile, size_t top) {
  std::vector<OperationTime> sorted = profile.operations;
  std::ranges::stable_sort(sorted, std::greater{}, &OperationTime::ms);
  sorted.resize(std::min(sorted.size(), top));
  using enum Table::Align;
  Table table({{"#", right},
               {"operator", left},
               {"output", left},
               {"time", right},
               {"share", right},
               {"GFLOP/s", right},
               {"GB/s", right}});
  for (const OperationTime& time : sorted) {
    table.add({std::to_string(time.operation), time.op, cat(time.dtype, ' ', time.shapes), duration(time.ms),
               share(time.ms, profile.operations_ms()), rate(time.flops, time.ms),
               rate(time.bytes, time.ms)});
  }
  std::cout << "\nthe " << sorted.size() << " longest of " << profile.operations.size() << " operations:\n";
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
  print_operators(profile);
  print_operations(profile, command.top);
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
