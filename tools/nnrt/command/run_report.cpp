#include "tools/nnrt/command/run_report.h"

#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/statistics.h"
#include "tools/nnrt/base/table.h"

#include <iostream>

namespace nnrt::tool {
namespace {

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

}  // namespace

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

}  // namespace nnrt::tool
