#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/doctor/child.h"
#include "tools/nnrt/doctor/drivers.h"
#include "tools/nnrt/doctor/self_test.h"
#include "tools/nnrt/session/api_calls.h"
#include "tools/nnrt/session/device_descriptions.h"

#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSeconds = 20;  // to list the devices

// The value of a line "KEY=value" or "KEY: value" of a system file.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t:=\"", key.size());
    return begin == line.npos ? "" : line.substr(begin, line.find_last_not_of(" \"") + 1 - begin);
  }
  return "";
}

uint64_t bytes_in_meminfo(const std::string& key) {
  return std::strtoull(value_in("/proc/meminfo", key).c_str(), nullptr, 10) * 1024;
}

Json describe_system() {
  utsname system{};
  uname(&system);
  return {{"version", NNRT_VERSION},
          {"system", value_in("/etc/os-release", "PRETTY_NAME")},
          {"kernel", cat(system.sysname, ' ', system.release)},
          {"machine", system.machine},
          {"processor", value_in("/proc/cpuinfo", "model name")},
          {"cores", std::thread::hardware_concurrency()},
          {"memory_bytes", bytes_in_meminfo("MemTotal")},
          {"available_memory_bytes", bytes_in_meminfo("MemAvailable")}};
}

// The variables that change what the library does.
Json describe_variables() {
  Json variables = Json::object();
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string text = *each;
    const size_t end = text.find('=');
    const std::string name = text.substr(0, end);
    const bool is_tools = name == "NNRT_LOG" && text.ends_with("=no_call_errors");  // tell_errors_once()
    if (end != text.npos && !is_tools && (name.starts_with("NNRT_") || name.starts_with("VK_")))
      variables[name] = text.substr(end + 1);
  }
  return variables;
}

// In a child: the parent must not call the library before its other children.
Json list_in_child(std::string& problem) {
  const auto list = [](const Send& send) {
    const auto devices = describe_devices();
    send(devices.ok() ? Json{{"devices", devices.value()}} : Json{{"problem", devices.error().message}});
  };
  ChildEnd end = in_child(list, kSeconds);
  if (end.sent.empty()) {
    problem = cat("Listing the devices ", end.fault, ".");
    return Json::array();
  }
  problem = end.sent[0].value("problem", "");
  return end.sent[0].value("devices", Json::array());
}

Json examine() {
  Json report = describe_system();
  report["variables"] = describe_variables();
  report["drivers"] = describe_drivers();
  report["gpus"] = describe_gpus(report["drivers"]);
  std::string problem;
  report["devices"] = list_in_child(problem);
  report["problem"] = problem;
  for (Json& device : report["devices"])
    if (!device.contains("unavailable")) device["tests"] = self_test(device);
  return report;
}

void print_heading(const std::string& text) { print_with_headings(std::cout, "\n" + text + ":\n"); }

void print_indented(const std::string& text) { print_wrapped(std::cout, text, 4); }

void print_system(const Json& report) {
  const auto text = [&](const char* key) { return report[key].get<std::string>(); };
  std::cout << "nnrt " << text("version") << " on " << text("system") << ", " << text("kernel") << ", "
            << text("machine") << '\n'
            << text("processor") << ", " << counted(report["cores"].get<size_t>(), "thread") << ", memory "
            << byte_size(report["memory_bytes"].get<uint64_t>()) << ", "
            << byte_size(report["available_memory_bytes"].get<uint64_t>()) << " available\n";
  for (const auto& [name, value] : report["variables"].items())
    std::cout << name << '=' << value.get<std::string>() << '\n';
}

void print_drivers(const Json& report) {
  print_heading("Vulkan drivers");
  if (report["drivers"].empty()) std::cout << "  none\n";
  for (const Json& driver : report["drivers"]) {
    std::cout << "  " << driver["file"].get<std::string>() << '\n';
    for (const Json& device : driver["devices"])
      print_indented(device.value("name", "") +
                     (device.value("kind", "") == "software" ? " (software)" : ""));
    if (driver["problem"] != "") print_indented(driver["problem"].get<std::string>());
  }
  if (report["gpus"].empty()) return;
  print_heading("GPUs of this machine");
  for (const Json& gpu : report["gpus"]) {
    std::cout << "  " << gpu["vendor"].get<std::string>() << " (PCI " << gpu["pci"].get<std::string>()
              << ")\n";
    if (gpu["problem"] != "") print_indented(gpu["problem"].get<std::string>());
  }
}

Json without_tests(const Json& devices) {
  Json described = devices;
  for (Json& device : described) device.erase("tests");
  return described;
}

// Returns the problems, one a sentence.
std::vector<std::string> print_tests(const Json& devices) {
  std::vector<std::string> problems;
  std::vector<Table::Column> columns{{"operation"}};
  std::vector<const Json*> tested;
  for (const Json& device : devices) {
    const std::string name = device.value("name", "");
    if (device.contains("unavailable"))
      problems.push_back(cat(name, " is unavailable. ", device["unavailable"].get<std::string>()));
    if (!device.contains("tests")) continue;
    tested.push_back(&device);
    columns.push_back({short_name(name), Table::Align::right, true, Style::time});
  }
  if (tested.empty()) return problems;
  Table table(std::move(columns));
  for (size_t i = 0; i < (*tested[0])["tests"].size(); ++i) {
    std::vector<std::string> row{(*tested[0])["tests"][i]["operation"].get<std::string>()};
    for (const Json* device : tested) {
      const Json& test = (*device)["tests"][i];
      const std::string problem = test["problem"].get<std::string>();
      row.push_back(problem.empty() ? duration(test["ms"].get<double>()) : "FAILED");
      if (!problem.empty())
        problems.push_back(cat((*device)["name"].get<std::string>(), ", ", row[0], ": ", problem));
    }
    table.add(std::move(row));
  }
  print_heading("Self-test");
  table.print(std::cout);
  return problems;
}

void print_report(const Json& report, const std::vector<std::string>& problems) {
  print_heading("Result");
  const auto usable = std::ranges::count_if(
      report["devices"], [](const Json& device) { return !device.contains("unavailable"); });
  if (problems.empty())
    std::cout << "  " << counted(usable, "device passes", "devices pass") << " the self-test.\n";
  for (const std::string& problem : problems) print_indented(problem);
  print_heading("For a bug report, attach");
  for (const char* const text : {"this report: nnrt doctor --json > doctor.json",
                                 "the model, or model, inputs and expected outputs as one file: nnrt convert "
                                 "MODEL --input ... -o case.jsonl",
                                 "where its operations run: nnrt plan MODEL --kernels > plan.txt",
                                 "the log of a failing command: NNRT_LOG=info nnrt ... 2> log.txt"})
    print_indented(text);
}

void print_text(const Json& report) {
  print_system(report);
  print_drivers(report);
  print_heading("Devices");
  print_devices(without_tests(report["devices"]));
  std::vector<std::string> problems = print_tests(report["devices"]);
  if (report["problem"] != "") problems.push_back(report["problem"].get<std::string>());
  if (report["devices"].empty()) problems.emplace_back("There is no device.");
  print_report(report, problems);
}

bool has_problem(const Json& report) {
  if (report["problem"] != "" || report["devices"].empty()) return true;
  for (const Json& device : report["devices"]) {
    if (device.contains("unavailable")) return true;
    for (const Json& test : device["tests"])
      if (test["problem"] != "") return true;
  }
  return false;
}

Status diagnose(bool json) {
  const Json report = examine();
  if (json) {
    print_json(std::cout, report);
  } else {
    print_text(report);
  }
  return has_problem(report) ? Status(Error{Code::failed, "Not all devices work."}) : Status();
}

}  // namespace

void add_doctor(CommandLine& app, Action& action) {
  const auto json = std::make_shared<bool>(false);
  CommandLine command = app.command("doctor",
                                    "Checks this machine: Vulkan drivers and why they offer no device, "
                                    "devices and their limits, and ten operations on each");
  add_json_option(command, *json);
  command.footer("\nExample: nnrt doctor");
  command.when_called([json, &action] { action = [json] { return diagnose(*json); }; });
}

}  // namespace nnrt::tool
