#include "networks/onnx_order.h"

#include <algorithm>

namespace bench {

using conformance::Shape;

Order order_of(const conformance::Tensor& tensor) {
  const size_t rank = tensor.shape.size();
  if (tensor.format == OH_NN_FORMAT_NHWC) return kImageOrder;
  if (rank == 5) return {0, 3, 4, 1, 2};
  Order order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = i;
  return order;
}

size_t place_in(const Order& order, size_t dimension) {
  return static_cast<size_t>(std::ranges::find(order, dimension) - order.begin());
}

std::vector<int64_t> reordered(const Shape& shape, const Order& order) {
  std::vector<int64_t> nchw;
  for (const size_t dimension : order) nchw.push_back(shape[dimension]);
  return nchw;
}

std::string reordered(const conformance::Bytes& data, const Shape& shape, const Order& order,
                      size_t element_size) {
  std::vector<size_t> strides(shape.size(), element_size);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * static_cast<size_t>(shape[i]);
  std::string nchw;
  nchw.reserve(data.size());
  std::vector<int32_t> index(shape.size(), 0);
  while (nchw.size() < data.size()) {
    size_t from = 0;
    for (size_t i = 0; i < shape.size(); ++i) from += static_cast<size_t>(index[i]) * strides[i];
    nchw.append(reinterpret_cast<const char*>(&data[from]), element_size);
    for (size_t position = order.size(); position-- > 0;) {
      if (++index[order[position]] < shape[order[position]]) break;
      index[order[position]] = 0;
    }
  }
  return nchw;
}

}  // namespace bench
