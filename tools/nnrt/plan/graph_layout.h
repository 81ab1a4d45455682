// Drawing of a directed graph in layers from top to bottom. Pure: sizes and edges in, positions out.
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
  std::vector<Point> centers;  // one for each node
  std::vector<std::vector<Point>>
      edges;  // the points that each goes through, from its node's bottom to the other's top
  Size size;  // size of the drawing, from (0, 0)
};

// Nodes are in an order in which no edge goes back (edge.from < edge.to). No two nodes overlap.
Layout lay_out(std::span<const Size> nodes, std::span<const Edge> edges);

}  // namespace nnrt::tool
