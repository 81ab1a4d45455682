// Layered drawing of a directed graph, top to bottom. A pure function from sizes and edges to positions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nnrt::tool {

struct Size {
  double width = 0, height = 0;
};

struct Point {
  double x = 0, y = 0;
};

// From a node to a later one.
struct Edge {
  size_t from = 0, to = 0;
};

struct Layout {
  std::vector<Point> centers;  // one per node
  std::vector<std::vector<Point>>
      edges;  // points on each edge, from the bottom of one node to the top of the other
  Size size;  // of the drawing, from (0, 0)
};

// Nodes must be in topological order (edge.from < edge.to). The result has no overlaps.
Layout lay_out(std::span<const Size> nodes, std::span<const Edge> edges);

}  // namespace nnrt::tool
