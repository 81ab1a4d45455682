// Builds an NNAPI model from a network; the NNAPI counterpart of tools/import/model_builder.h.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nnapi/nnapi_library.h"

namespace nnrt::import {

using NnapiModelHandle = NnapiHandle<ANeuralNetworksModel>;

// Returns a finished model with the network's input and output order. Operators NNAPI cannot express are
// rejected by name. `relaxed` permits half-precision computation.
Result<NnapiModelHandle> make_nnapi_model(const Nnapi& nnapi, const Network& network, bool relaxed = false);

}  // namespace nnrt::import
