// Describes a MindSpore Lite model to the quantizer.
#pragma once

#include "tools/import/mindspore/quantizer/ms_float_model.h"
#include "tools/import/quantizer/quantizable_model.h"

namespace nnrt::import::mindspore {

FloatGraph float_graph(const FloatModel& model);

}  // namespace nnrt::import::mindspore
