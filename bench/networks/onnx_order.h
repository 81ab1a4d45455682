// Dimension order in ONNX files: image channels precede height and width.
#pragma once

#include "case.h"

#include <string>
#include <vector>

namespace bench {

// Our dimension for each of the file's.
using Order = std::vector<size_t>;

inline const Order kImageOrder{0, 3, 1, 2};

// A rank-5 tensor is an image whose channels are split in two for a shuffle.
Order order_of(const conformance::Tensor& tensor);
size_t place_in(const Order& order, size_t dimension);

std::vector<int64_t> reordered(const conformance::Shape& shape, const Order& order);
// Permutes a tensor of that shape to the file's dimension order.
std::string reordered(const conformance::Bytes& data, const conformance::Shape& shape, const Order& order,
                      size_t element_size);

}  // namespace bench
