// Minimum cut of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nnrt {

// Vertices 0 (source) and 1 (sink) always exist.
class MinCut {
 public:
  static constexpr size_t kSource = 0, kSink = 1;
  static constexpr uint64_t kNever = uint64_t{1} << 50;  // larger than any sum of actual costs

  MinCut() : edges_(2) {}

  size_t add_vertex();
  // Adds `cost` to cuts with `from` on the source side and `to` on the sink side.
  void add_edge(size_t from, size_t to, uint64_t cost);

  // For each vertex, whether it is on the source side of a minimum cut; empty if the search takes much longer
  // than usual for networks of models, where the work is linear. May be called once.
  std::optional<std::vector<bool>> solve();

 private:
  struct Edge {
    size_t to;
    uint64_t left;
    size_t reverse;  // index among the edges of `to`
  };

  bool find_levels();
  uint64_t push();

  std::vector<std::vector<Edge>> edges_;
  std::vector<int> level_;
  std::vector<size_t> next_;
  size_t work_ = 0;  // edges visited
};

}  // namespace nnrt
