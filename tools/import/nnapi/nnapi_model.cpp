#include "tools/import/nnapi/nnapi_model.h"

#include "tools/import/network/network_check.h"
#include "tools/import/nnapi/nnapi_operation.h"

namespace nnrt::import {
namespace {

// NNAPI's layout flag applies only to one input and one output, and weights keep their layout.
Status check_layout(const Network& network, const Operation& operation) {
  for (const auto* ids : {&operation.inputs, &operation.outputs}) {
    for (const TensorId id : *ids) {
      if (network.tensors[id].format == OH_NN_FORMAT_NCHW)
        return unsupported("The writer of NNAPI's models takes no NCHW images, as ", network.tensors[id].name,
                           ".");
    }
  }
  return {};
}

Status write(NnapiWriter& writer, const Network& network, const Operation& operation) {
  NNRT_TRY(check_layout(network, operation));
  const NnapiRow* const row = find_nnapi_row(operation.type);
  if (row == nullptr) return unsupported("NNAPI cannot express ", operation_name(operation.type), ".");
  NnapiOperation written(writer, operation, *row);
  NNRT_TRY(row->write(written));
  NNRT_TRY(written.check_all_parameters_read());
  return writer.status();
}

}  // namespace

Result<NnapiModelHandle> make_nnapi_model(const Nnapi& nnapi, const Network& network, bool relaxed) {
  NNRT_TRY(check(network));
  ANeuralNetworksModel* made = nullptr;
  NNRT_TRY(nnapi_called(nnapi.ANeuralNetworksModel_create(&made), "ANeuralNetworksModel_create"));
  NnapiModelHandle model(made, nnapi.ANeuralNetworksModel_free);
  NnapiWriter writer(nnapi, made, network);
  for (const TensorId id : network.inputs) writer.operand(id);
  NNRT_TRY(writer.status());
  for (const Operation& operation : network.operations) {
    if (Status status = write(writer, network, operation); !status.ok())
      return std::move(status).error().during("adding " + operation.origin);
  }
  NNRT_TRY(nnapi_called(nnapi.ANeuralNetworksModel_relaxComputationFloat32toFloat16(made, relaxed),
                        "ANeuralNetworksModel_relaxComputationFloat32toFloat16"));
  writer.finish();
  NNRT_TRY(writer.status());
  return model;
}

}  // namespace nnrt::import
