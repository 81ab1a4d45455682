#include "core/graph/param.h"

namespace nnrt {

std::string_view name(Param param) {
  switch (param) {
#define NNRT_TENSOR_TYPE(param, name, number) \
  case Param::param:                          \
    return "OH_NN_" #name;
#include "core/graph/tensor_types.inc"
#undef NNRT_TENSOR_TYPE
  }
  return {};
}

}  // namespace nnrt
