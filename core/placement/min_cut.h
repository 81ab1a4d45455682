// The cheapest way to divide the vertices of a network in two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nnrt {

// Vertices 0 (the source) and 1 (the sink) are there from the start.
class MinCut {
 public:
  static constexpr size_t kSource = 0, kSink = 1;
  static constexpr uint64_t kNever = uint64_t{1} << 50;  // no sum of actual costs comes near it

  MinCut() : edges_(2) {}

  size_t add_vertex();
  // Adds `cost` to cuts with `from` on the source's side and `to` on the sink's.
  void add_edge(size_t from, size_t to, uint64_t cost);

  // Says of each vertex whether it is on the source's side in a cut of least cost; nothing if finding it
  // takes much longer than in networks of models, in which the work grows as the network does. Called once.
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
  size_t work_ = 0;  // edges that were looked at
};

}  // namespace nnrt
