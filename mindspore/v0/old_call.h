// A node of the old schema being converted.
#pragma once

#include "mindspore/model/source_graph.h"

namespace nnrt::mindspore {

// A field of the new primitive, and the old field with the same meaning.
struct RenamedField {
  std::string_view to, from;
};

struct OldCall {
  const Primitive& old;
  SourceGraph& graph;
  SourceNode& node;
  Primitive made;

  // An absent old field has the old default.
  void copy(const RenamedField& field);
  // Appends a constant, unless the node already has `count` inputs: then these count, not the attribute.
  void append_integers(size_t count, const Integers& values);
  void append_reals(size_t count, const Reals& values);
  void append_integers(size_t count, std::string_view field) { append_integers(count, old.integers(field)); }
  // Dimension `d` of an input as stored; 0 if there is none.
  int64_t stored_dimension(size_t input, size_t d) const;

 private:
  void append(int64_t type_id, size_t count, Bytes data);
};

// Conversions besides renamed fields.
using OldConversion = Status (*)(OldCall&);

Status convert_old_convolution(OldCall& call);
Status convert_old_depthwise(OldCall& call);
Status convert_old_transposed(OldCall& call);
Status convert_old_transposed_depthwise(OldCall& call);
Status convert_old_pooling(OldCall& call);
Status convert_old_resize(OldCall& call);

}  // namespace nnrt::mindspore
