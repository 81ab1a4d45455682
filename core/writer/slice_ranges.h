// The entries of a STRIDED_SLICE as a file gives them.
#pragma once

#include "core/writer/list.h"
#include "core/writer/settings.h"

namespace nnrt {

struct SliceRanges {
  List<int64_t> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;

  // Adds an entry that takes a whole dimension.
  void add_all() {
    begin_mask |= int64_t{1} << begin.size();
    end_mask |= int64_t{1} << begin.size();
    add(0, 0, 1);
  }
  void add(int64_t from, int64_t to, int64_t stride) {
    begin.push_back(from);
    end.push_back(to);
    strides.push_back(stride);
  }
  // Replaces a file's ellipsis, which takes all dimensions that no other entry takes; OH_NN's takes one.
  // `ellipsis_mask` has at most one bit.
  SliceRanges without_ellipsis(int64_t ellipsis_mask, size_t rank) const {
    const auto bit = [](int64_t mask, size_t i) { return mask >> i & 1; };
    SliceRanges made;
    size_t used = 0;
    for (size_t i = 0; i < begin.size(); ++i) used += bit(new_axis_mask | ellipsis_mask, i) == 0 ? 1 : 0;
    for (size_t i = 0; i < begin.size(); ++i) {
      const size_t at = made.begin.size();
      if (bit(ellipsis_mask, i) != 0) {
        for (size_t d = used; d < rank; ++d) made.add_all();
        continue;
      }
      made.begin_mask |= bit(begin_mask, i) << at;
      made.end_mask |= bit(end_mask, i) << at;
      made.new_axis_mask |= bit(new_axis_mask, i) << at;
      made.shrink_axis_mask |= bit(shrink_axis_mask, i) << at;
      made.add(begin[i], end[i], strides[i]);
    }
    return made;
  }
  Settings masks() const {
    return {{Attr::begin_mask, begin_mask},
            {Attr::end_mask, end_mask},
            {Attr::new_axis_mask, new_axis_mask},
            {Attr::shrink_axis_mask, shrink_axis_mask}};
  }
};

}  // namespace nnrt
