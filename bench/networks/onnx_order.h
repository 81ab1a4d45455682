// The order of dimensions in ONNX files: channels of images before height and width.
#pragma once

#include "case.h"

#include <string>
#include <vector>

namespace bench {

// The dimension of ours for each of the file's.
using Order = std::vector<size_t>;

inline const Order kImageOrder{0, 3, 1, 2};

// A tensor of rank 5 is an image whose channels a shuffle has cut in two.
Order order_of(const conformance::Tensor& tensor);
size_t place_in(const Order& order, size_t dimension);

std::vector<int64_t> reordered(const conformance::Shape& shape, const Order& order);
// The elements of a tensor of that shape in the order of the file's dimensions.
std::string reordered(const conformance::Bytes& data, const conformance::Shape& shape, const Order& order,
                      size_t element_size);

}  // namespace bench
