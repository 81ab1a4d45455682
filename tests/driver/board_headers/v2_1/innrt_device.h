#pragma once

#define NNRT_TEST_HDI_NAMESPACE OHOS::HDI::Nnrt::V2_1
#define NNRT_TEST_HDI_MINOR 1
#include "../interface.h"
