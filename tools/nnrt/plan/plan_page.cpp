#include "tools/nnrt/plan/graph_layout.h"
#include "tools/nnrt/plan/plan.h"
#include "tools/nnrt/plan/plan_page_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kHeight = 44, kLayerHeight = 14;  // the layer's name is an extra line

// Fits the label and the line below it, in the page's font sizes; plan.js cuts longer text.
double width_of(size_t label, size_t line, bool timed) {
  const double widest =
      std::max(8.7 * static_cast<double>(label) + (timed ? 60 : 0), 6.6 * static_cast<double>(line));
  return std::clamp(widest + 30, 150.0, 290.0);
}

// The data for page/plan.js. Its nodes are the model's inputs, operations and outputs.
class PageData {
 public:
  explicit PageData(const Plan& plan) : plan_(plan) {
    for (const PlanTensor& tensor : plan.tensors) {
      tensors_.push_back({{"name", tensor.name},
                          {"type", tensor.type},
                          {"shape", to_string(tensor.shape)},
                          {"bytes", tensor.bytes},
                          {"constant", tensor.constant},
                          {"scales", tensor.scales},
                          {"zeroPoints", tensor.zero_points}});
    }
    for (const size_t tensor : plan.inputs) add_end("input", tensor);
    first_operation_ = nodes_.size();
    for (const PlanNode& node : plan.nodes) add(node);
    for (const size_t tensor : plan.outputs) add_end("output", tensor);
    connect();
    arrange();
  }

  Json json() && {
    return {{"model", plan_.model},
            {"device", plan_.device.name},
            {"devices", devices_},
            {"borders", plan_.borders().size()},
            {"width", size_.width},
            {"height", size_.height},
            {"nodes", std::move(nodes_)},
            {"edges", std::move(edges_)},
            {"tensors", std::move(tensors_)},
            {"arenas", arenas()}};
  }

 private:
  size_t device(const std::string& name) {
    const auto found = std::ranges::find(devices_, name);
    if (found != devices_.end()) return static_cast<size_t>(found - devices_.begin());
    devices_.push_back(name);
    return devices_.size() - 1;
  }

  std::string describe(size_t tensor) const {
    return plan_.tensors[tensor].type + " " + to_string(plan_.tensors[tensor].shape);
  }

  void add_end(const std::string& kind, size_t tensor) {
    const bool is_input = kind == "input";
    const Json own = Json::array({tensor}), none = Json::array();
    nodes_.push_back({{"kind", kind},
                      {"label", plan_.tensors[tensor].name},
                      {"sub", describe(tensor)},
                      {"origin", is_input ? "Input of the model" : "Output of the model"},
                      {"device", -1},
                      {"reason", ""},
                      {"ms", 0},
                      {"inputs", is_input ? none : own},
                      {"outputs", is_input ? own : none},
                      {"attributes", none}});
    sizes_.push_back({width_of(plan_.tensors[tensor].name.size(), describe(tensor).size(), false), kHeight});
  }

  void add(const PlanNode& node) {
    nodes_.push_back({{"kind", "operation"},
                      {"number", node.operation},
                      {"label", node.op},
                      {"sub", node.outputs.empty() ? "" : describe(node.outputs[0])},
                      {"origin", node.origin},
                      {"layer", plan_.layer_of(node)},
                      {"device", device(node.device)},
                      {"reason", node.reason},
                      {"ms", node.ms},
                      {"inputs", node.inputs},
                      {"outputs", node.outputs},
                      {"attributes", node.attributes}});
    const size_t line = node.outputs.empty() ? 0 : describe(node.outputs[0]).size();
    const size_t layer = plan_.layer_of(node).size();
    sizes_.push_back({width_of(node.op.size(), std::max(line, layer), node.ms > 0),
                      kHeight + (layer > 0 ? kLayerHeight : 0)});
  }

  void connect(size_t from, size_t to, size_t tensor, bool border) {
    lines_.push_back({from, to});
    edges_.push_back({{"from", from}, {"to", to}, {"tensor", tensor}, {"border", border}});
  }

  void connect() {
    std::map<size_t, size_t> writers;
    for (size_t i = 0; i < plan_.inputs.size(); ++i) writers[plan_.inputs[i]] = i;
    const auto read = [&](size_t tensor, size_t reader) {
      const auto writer = writers.find(tensor);
      if (writer == writers.end()) return;
      const int from = nodes_[writer->second]["device"], to = nodes_[reader]["device"];
      connect(writer->second, reader, tensor, from >= 0 && to >= 0 && from != to);
    };
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      const size_t id = first_operation_ + i;
      for (const size_t tensor : plan_.nodes[i].inputs) read(tensor, id);
      for (const size_t tensor : plan_.nodes[i].outputs) {
        writers[tensor] = id;
        writers_by_name_[plan_.tensors[tensor].name] = id;
      }
    }
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      read(plan_.outputs[i], first_operation_ + plan_.nodes.size() + i);
    }
  }

  void arrange() {
    const Layout layout = lay_out(sizes_, lines_);
    size_ = layout.size;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].update({{"x", layout.centers[i].x},
                        {"y", layout.centers[i].y},
                        {"w", sizes_[i].width},
                        {"h", sizes_[i].height}});
    }
    for (size_t i = 0; i < edges_.size(); ++i) {
      Json points = Json::array();
      for (const Point& point : layout.edges[i]) points.push_back({point.x, point.y});
      edges_[i]["points"] = std::move(points);
    }
  }

  Json arenas() const {
    Json result = Json::array();
    for (const Arena& arena : plan_.arenas) {
      Json blocks = Json::array();
      for (const ArenaBlock& block : arena.blocks) {
        const auto writer = writers_by_name_.find(block.name);
        blocks.push_back(
            {{"name", block.name},
             {"offset", block.offset},
             {"bytes", block.bytes},
             {"first", block.first},
             {"last", block.last},
             {"node", writer == writers_by_name_.end() ? -1 : static_cast<int>(writer->second)}});
      }
      result.push_back({{"device", arena.device},
                        {"partition", arena.partition},
                        {"bytes", arena.bytes},
                        {"blocks", std::move(blocks)}});
    }
    return result;
  }

  const Plan& plan_;
  Json nodes_ = Json::array(), edges_ = Json::array(), tensors_ = Json::array();
  std::vector<std::string> devices_;
  std::vector<Size> sizes_;
  std::vector<Edge> lines_;
  std::map<std::string, size_t> writers_by_name_;
  size_t first_operation_ = 0;
  Size size_;
};

void replace(std::string& text, const std::string& word, const std::string& by) {
  text.replace(text.find(word), word.size(), by);
}

}  // namespace

std::string to_html(const Plan& plan) {
  std::string data = PageData(plan).json().dump(-1, ' ', false, Json::error_handler_t::replace);
  // Names in a model must not be able to close the script element.
  for (size_t at = 0; (at = data.find('<', at)) != std::string::npos;) data.replace(at, 1, "\\u003c");
  std::string page(kPlanHtml);
  replace(page, "%STYLE%", std::string(kPlanCss));
  replace(page, "%SCRIPT%", std::string(kPlanJs));
  replace(page, "%TOOLS%", std::string(kPlanToolsJs));
  replace(page, "%DATA%", data);
  return page;
}

}  // namespace nnrt::tool
