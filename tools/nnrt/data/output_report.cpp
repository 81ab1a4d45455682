#include "tools/nnrt/data/output_report.h"

#include "core/base/counted.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/table.h"

#include <nlohmann/json.hpp>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

void report_boxes(std::ostream& out, std::span<const Output> outputs, std::span<const std::string> labels) {
  using enum Table::Align;
  Table table({{"score", right},
               {"class", right},
               {"label", left},
               {"top", right},
               {"left", right},
               {"bottom", right},
               {"right", right}});
  const Boxes boxes = boxes_of(outputs);
  for (const Box& box : boxes.shown) {
    std::vector<std::string> row{fixed(box.score, 3), std::to_string(box.number),
                                 label_of(labels, box.number)};
    for (const double side : box.sides) row.push_back(fixed(side, 3));
    table.add(std::move(row));
  }
  print_with_headings(out, cat(counted(boxes.count, "box", "boxes"), ", those with a score of ",
                               kSmallestScore, " or more:\n"));
  if (table.empty())
    out << "none\n";
  else
    table.print(out);
}

void report_classes(std::ostream& out, const Output& output, std::span<const std::string> labels) {
  using enum Table::Align;
  Table table({{"score", right}, {"class", right}, {"label", left}});
  for (const ClassScore& best : best_classes(output))
    table.add({fixed(best.score, 4), std::to_string(best.number), label_of(labels, best.number)});
  table.print(out);
  const size_t count = output.array.count(), finite = statistics_of(output).finite;
  if (finite < count) out << count - finite << " of " << count << " not finite\n";
}

void report_figures(std::ostream& out, const Output& output) {
  const size_t count = output.array.count();
  const Statistics figures = statistics_of(output);
  if (figures.finite > 0)
    out << "min " << figures.min << ", max " << figures.max << ", mean " << figures.mean;
  if (figures.finite < count) {
    out << (figures.finite > 0 ? ", " : "") << count - figures.finite << " of " << count << " not finite";
  }
  out << "\nfirst";
  for (const double value : figures.first) out << ' ' << value;
  out << (count > figures.first.size() ? " ...\n" : "\n");
}

// The label is optional.
void add_class(Json& json, std::span<const std::string> labels, size_t number) {
  json["class"] = number;
  if (const std::string label = label_of(labels, number); !label.empty()) json["label"] = label;
}

Json classes_json(const Output& output, std::span<const std::string> labels) {
  Json classes = Json::array();
  for (const ClassScore& best : best_classes(output)) {
    Json json = Json::object();
    json["score"] = best.score;
    add_class(json, labels, best.number);
    classes.push_back(std::move(json));
  }
  return classes;
}

Json boxes_json(std::span<const Output> outputs, std::span<const std::string> labels) {
  Json boxes = Json::array();
  for (const Box& box : boxes_of(outputs).shown) {
    Json json = Json::object();
    json["score"] = box.score;
    add_class(json, labels, box.number);
    json.update(
        {{"top", box.sides[0]}, {"left", box.sides[1]}, {"bottom", box.sides[2]}, {"right", box.sides[3]}});
    boxes.push_back(std::move(json));
  }
  return boxes;
}

Json output_json(std::span<const Output> outputs, size_t index, std::span<const std::string> labels) {
  const Output& output = outputs[index];
  const Array& array = output.array;
  Json json{{"name", output.tensor.name}, {"dtype", import::type_name(array.type)}, {"shape", array.shape}};
  if (array.count() == 0) return json;
  const Statistics figures = statistics_of(output);
  const bool is_any_finite = figures.finite > 0;
  json.update({{"min", is_any_finite ? Json(figures.min) : Json()},
               {"max", is_any_finite ? Json(figures.max) : Json()},
               {"mean", is_any_finite ? Json(figures.mean) : Json()},
               {"not_finite", array.count() - figures.finite},
               {"first", figures.first}});
  if (is_classifier(outputs, index)) json["classes"] = classes_json(output, labels);
  return json;
}

}  // namespace

void report(std::ostream& out, std::span<const Output> outputs, std::span<const std::string> labels) {
  if (is_detector(outputs)) return report_boxes(out, outputs, labels);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    out << printable(output.tensor.name) << ": " << describe(output.array.type, output.array.shape) << '\n';
    if (output.array.count() == 0) continue;
    is_classifier(outputs, i) ? report_classes(out, output, labels) : report_figures(out, output);
  }
}

nlohmann::ordered_json report_json(std::span<const Output> outputs, std::span<const std::string> labels) {
  Json list = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) list.push_back(output_json(outputs, i, labels));
  Json json = Json::object();
  json["outputs"] = std::move(list);
  if (is_detector(outputs)) json["boxes"] = boxes_json(outputs, labels);
  return json;
}

}  // namespace nnrt::tool
