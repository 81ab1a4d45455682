#include "core/passes/cast_inserter.h"

#include "core/base/bytes_of.h"
#include "core/schema/schema.h"
#include "core/schema/validate.h"

#include <span>
#include <utility>

namespace nnrt {

TensorId CastInserter::add_tensor(Tensor tensor, Shape shape) {
  graph_.tensors.push_back(std::move(tensor));
  graph_.shapes.push_back(std::move(shape));
  return TensorId(graph_.tensors.size() - 1);
}

void CastInserter::add_cast(TensorId from, TensorId to, uint32_t position) {
  const DType dtype = graph_.tensors[to].dtype;
  auto type = types_.find(dtype);
  if (type == types_.end()) {
    const auto code = int32_t(dtype);
    Tensor tensor{"Type of a cast", DType::i32, Format::none, {1}, {}, 0, {}};
    tensor.data = std::make_shared<const Bytes>(bytes_of(std::span(&code, 1)));
    type = types_.emplace(dtype, add_tensor(std::move(tensor), {1})).first;
  }
  graph_.nodes.push_back(
      {Op::cast, {from, type->second}, {to}, default_attrs(schema(Op::cast)), position, {}});
}

}  // namespace nnrt
