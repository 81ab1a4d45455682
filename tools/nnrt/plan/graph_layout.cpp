#include "tools/nnrt/plan/graph_layout.h"

#include <algorithm>
#include <numeric>

namespace nnrt::tool {
namespace {

constexpr double kColumnGap = 28, kRowGap = 44, kMargin = 24;
constexpr double kWaypointWidth = 12;  // where an edge crosses a layer
constexpr int kSweeps = 12;

// A node of the graph, or a waypoint of an edge crossing a layer.
struct Item {
  Size size;
  size_t layer = 0;
  double x = 0;  // center
  std::vector<size_t> above, below;
};

// Sugiyama's method: layers, waypoints, order within layers, coordinates.
class Drawing {
 public:
  Drawing(std::span<const Size> nodes, std::span<const Edge> edges) : edges_(edges), count_(nodes.size()) {
    for (const Size& size : nodes) items_.push_back({size, 0, 0, {}, {}});
    choose_layers();
    add_waypoints();
    order_layers();
    place();
  }

  Layout layout() const {
    Layout layout;
    const std::vector<double> tops = row_tops();
    double left = 0, right = 0;
    for (size_t id = 0; id < items_.size(); ++id) {
      const Item& item = items_[id];
      const double begin = item.x - item.size.width / 2, end = item.x + item.size.width / 2;
      left = id == 0 ? begin : std::min(left, begin);
      right = id == 0 ? end : std::max(right, end);
    }
    const auto center = [&](size_t id) {
      const Item& item = items_[id];
      return Point{item.x - left + kMargin, tops[item.layer] + heights_[item.layer] / 2};
    };
    for (size_t id = 0; id < count_; ++id) layout.centers.push_back(center(id));
    for (const std::vector<size_t>& path : paths_) {
      std::vector<Point> points;
      points.reserve(path.size());
      for (const size_t id : path) points.push_back(center(id));
      points.front().y += items_[path.front()].size.height / 2;
      points.back().y -= items_[path.back()].size.height / 2;
      layout.edges.push_back(std::move(points));
    }
    layout.size = {right - left + 2 * kMargin,
                   tops.empty() ? 2 * kMargin : tops.back() + heights_.back() + kMargin};
    return layout;
  }

 private:
  void choose_layers() {
    for (const Edge& edge : sorted_edges()) {
      items_[edge.to].layer = std::max(items_[edge.to].layer, items_[edge.from].layer + 1);
    }
    // Place each source directly above its first reader.
    std::vector<bool> is_source(count_, true);
    for (const Edge& edge : edges_) is_source[edge.to] = false;
    for (size_t id = 0; id < count_; ++id) {
      size_t first = items_.size() + 1;
      for (const Edge& edge : edges_) {
        if (edge.from == id) first = std::min(first, items_[edge.to].layer);
      }
      if (is_source[id] && first > 0 && first <= items_.size()) items_[id].layer = first - 1;
    }
  }

  std::vector<Edge> sorted_edges() const {
    std::vector<Edge> sorted(edges_.begin(), edges_.end());
    std::ranges::stable_sort(sorted, {}, &Edge::to);
    return sorted;
  }

  void add_waypoints() {
    for (const Edge& edge : edges_) {
      std::vector<size_t> path{edge.from};
      for (size_t layer = items_[edge.from].layer + 1; layer < items_[edge.to].layer; ++layer) {
        path.push_back(items_.size());
        items_.push_back({{kWaypointWidth, 0}, layer, 0, {}, {}});
      }
      path.push_back(edge.to);
      for (size_t i = 1; i < path.size(); ++i) {
        items_[path[i - 1]].below.push_back(path[i]);
        items_[path[i]].above.push_back(path[i - 1]);
      }
      paths_.push_back(std::move(path));
    }
    for (size_t id = 0; id < items_.size(); ++id) {
      const size_t layer = items_[id].layer;
      if (layer >= layers_.size()) {
        layers_.resize(layer + 1);
        heights_.resize(layer + 1, 0);
      }
      layers_[layer].push_back(id);
      heights_[layer] = std::max(heights_[layer], items_[id].size.height);
    }
  }

  // Reduces crossings: sorts each layer by the mean position of the neighbours above and below,
  // alternating.
  void order_layers() {
    std::vector<double> position(items_.size());
    const auto number = [&](const std::vector<size_t>& layer) {
      for (size_t i = 0; i < layer.size(); ++i) position[layer[i]] = static_cast<double>(i);
    };
    for (const auto& layer : layers_) number(layer);
    const auto arrange = [&](std::vector<size_t>& layer, std::vector<size_t> Item::*neighbours) {
      std::vector<double> key(items_.size());
      for (const size_t id : layer) key[id] = average(items_[id].*neighbours, position, position[id]);
      std::ranges::stable_sort(layer, {}, [&](size_t id) { return key[id]; });
      number(layer);
    };
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (auto& layer : layers_) arrange(layer, &Item::above);
      if (sweep + 1 == kSweeps) break;
      for (size_t i = layers_.size(); i-- > 0;) arrange(layers_[i], &Item::below);
    }
  }

  static double average(const std::vector<size_t>& ids, const std::vector<double>& values, double otherwise) {
    if (ids.empty()) return otherwise;
    const double sum =
        std::accumulate(ids.begin(), ids.end(), 0.0, [&](double s, size_t id) { return s + values[id]; });
    return sum / static_cast<double>(ids.size());
  }

  // Items start packed and move toward their neighbours without overlapping.
  void place() {
    for (const auto& layer : layers_) {
      double x = 0;
      for (const size_t id : layer) {
        items_[id].x = x + items_[id].size.width / 2;
        x += items_[id].size.width + kColumnGap;
      }
      for (const size_t id : layer) items_[id].x -= (x - kColumnGap) / 2;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (const auto& layer : layers_) align(layer, &Item::above);
      for (size_t i = layers_.size(); i-- > 0;) align(layers_[i], &Item::below);
    }
    for (const auto& layer : layers_) align(layer, &Item::above);
  }

  void align(const std::vector<size_t>& layer, std::vector<size_t> Item::*neighbours) {
    std::vector<double> wanted, leftmost(layer.size()), rightmost(layer.size());
    for (const size_t id : layer) wanted.push_back(wanted_x(items_[id], neighbours));
    // The mean of two layouts without overlaps, pushed apart from the left and from the right, has none
    // either.
    for (size_t i = 0; i < layer.size(); ++i) {
      leftmost[i] =
          i == 0 ? wanted[i] : std::max(wanted[i], leftmost[i - 1] + distance(layer[i - 1], layer[i]));
    }
    for (size_t i = layer.size(); i-- > 0;) {
      rightmost[i] = i + 1 == layer.size()
                         ? wanted[i]
                         : std::min(wanted[i], rightmost[i + 1] - distance(layer[i], layer[i + 1]));
    }
    for (size_t i = 0; i < layer.size(); ++i) items_[layer[i]].x = (leftmost[i] + rightmost[i]) / 2;
  }

  double wanted_x(const Item& item, std::vector<size_t> Item::*neighbours) const {
    const std::vector<size_t>& ids = item.*neighbours;
    if (ids.empty()) return item.x;
    const double sum =
        std::accumulate(ids.begin(), ids.end(), 0.0, [&](double s, size_t id) { return s + items_[id].x; });
    return sum / static_cast<double>(ids.size());
  }

  double distance(size_t left, size_t right) const {
    return (items_[left].size.width + items_[right].size.width) / 2 + kColumnGap;
  }

  std::vector<double> row_tops() const {
    std::vector<double> tops;
    double y = kMargin;
    for (const double height : heights_) {
      tops.push_back(y);
      y += height + kRowGap;
    }
    return tops;
  }

  std::span<const Edge> edges_;
  size_t count_;
  std::vector<Item> items_;
  std::vector<std::vector<size_t>> layers_, paths_;
  std::vector<double> heights_;
};

}  // namespace

Layout lay_out(std::span<const Size> nodes, std::span<const Edge> edges) {
  return Drawing(nodes, edges).layout();
}

}  // namespace nnrt::tool
