// Dinic's algorithm: fills shortest augmenting paths until none is left.
#include "core/placement/min_cut.h"

#include <algorithm>

namespace nnrt {

size_t MinCut::add_vertex() {
  edges_.emplace_back();
  return edges_.size() - 1;
}

void MinCut::add_edge(size_t from, size_t to, uint64_t cost) {
  if (cost == 0 || from == to) return;
  edges_[from].push_back({to, cost, edges_[to].size()});
  edges_[to].push_back({from, 0, edges_[from].size() - 1});
}

bool MinCut::find_levels() {
  level_.assign(edges_.size(), -1);
  level_[kSource] = 0;
  std::vector<size_t> reached{kSource};
  for (size_t i = 0; i < reached.size(); ++i) {
    work_ += edges_[reached[i]].size();
    for (const Edge& edge : edges_[reached[i]]) {
      if (edge.left == 0 || level_[edge.to] >= 0) continue;
      level_[edge.to] = level_[reached[i]] + 1;
      reached.push_back(edge.to);
    }
  }
  return level_[kSink] >= 0;
}

// Pushes flow along one path; 0 if there is none. Iterative, as a path may have many thousand nodes.
uint64_t MinCut::push() {
  std::vector<Edge*> path;
  size_t vertex = kSource;
  while (vertex != kSink) {
    ++work_;
    Edge* step = nullptr;
    for (; next_[vertex] < edges_[vertex].size(); ++next_[vertex]) {
      Edge& edge = edges_[vertex][next_[vertex]];
      if (edge.left > 0 && level_[edge.to] == level_[vertex] + 1) {
        step = &edge;
        break;
      }
    }
    if (step != nullptr) {
      path.push_back(step);
      vertex = step->to;
    } else if (path.empty()) {
      return 0;
    } else {  // a dead end
      vertex = edges_[path.back()->to][path.back()->reverse].to;
      path.pop_back();
      ++next_[vertex];
    }
  }
  uint64_t room = kNever;
  for (const Edge* edge : path) room = std::min(room, edge->left);
  for (Edge* edge : path) {
    edge->left -= room;
    edges_[edge->to][edge->reverse].left += room;
  }
  return room;
}

std::optional<std::vector<bool>> MinCut::solve() {
  constexpr size_t kMaxWork = 16'000'000, kMaxWorkPerVertex = 64;
  const size_t max = kMaxWork + kMaxWorkPerVertex * edges_.size();
  while (find_levels()) {
    next_.assign(edges_.size(), 0);
    while (push() > 0) {
      if (work_ > max) return {};
    }
  }
  std::vector<bool> with_source;
  for (const int level : level_) with_source.push_back(level >= 0);
  return with_source;
}

}  // namespace nnrt
