"""Tables of allowed includes, checked by structure.py."""

# (folder, forbidden includes, exceptions). A name covers all headers below it.
LAYERS = [
    ('core', 'api mindspore nnapi android backends neural_network_runtime vulkan Eigen spirv_cross', ''),
    ('api', 'nnapi android backends vulkan Eigen spirv_cross', ''),
    ('mindspore', 'api nnapi android backends neural_network_runtime vulkan Eigen spirv_cross', ''),
    ('nnapi', 'api backends neural_network_runtime vulkan Eigen spirv_cross', ''),
    ('backends', 'nnapi android', ''),
    ('backends/cpu', 'api vulkan spirv_cross neural_network_runtime backends/host backends/vulkan backends/plugin', ''),
    ('backends/vulkan', 'api Eigen neural_network_runtime backends/cpu backends/host backends/plugin', ''),
    ('backends/host', 'api vulkan Eigen spirv_cross neural_network_runtime backends/cpu backends/vulkan backends/plugin', ''),
    ('backends/plugin', 'api vulkan Eigen spirv_cross backends/cpu backends/host backends/vulkan neural_network_runtime',
     'neural_network_runtime/hdi'),
    ('tools/import/tflite', 'core api backends vulkan Eigen',
     'core/base/result.h core/base/fp16.h core/memory/lending_buffer.h'),
    ('tools/import', 'backends api vulkan Eigen', 'backends/cpu/base/kernel.h backends/cpu/base/empty_nodes.h'),
    ('tools/plugins', 'api backends vulkan Eigen', ''),
    ('tools/nnrt', 'core api backends vulkan Eigen',
     'core/base/result.h core/base/text.h core/base/printable.h core/base/fp16.h '
     'core/platform/atomic_file.h core/platform/descriptor.h'),
    ('python/native', 'core backends api vulkan Eigen tools', 'tools/import/nn_handles.h'),
    ('python/samples', 'core backends api vulkan Eigen tools', 'tools/nnrt/base tools/nnrt/data'),
    ('examples', 'core backends api', ''),
]
# Shipped code has no assert(): core/base/check.h checks in every build.
LAYERS += [(part, 'cassert assert.h', '') for part in ('core', 'mindspore', 'api', 'nnapi', 'backends', 'tools', 'python')]

# Area -> room -> the rooms of the area that it may include, which precede it. A room is a folder with its subfolders; '.' is the
# area itself. The area's README lists the rooms in this order.
AREAS = {
    'api': {
        'include': '',
        'base': '',
        'tensor': 'base',
        'model': 'base tensor',
        'compilation': 'base',
        'execution': 'base tensor',
        '.': 'base model execution',
    },
    'backends/cpu': {
        'simd': '',
        'base': 'simd',
        'int8': 'simd base',
        'gemm': 'simd base int8',
        'conv': 'simd base int8 gemm',
        'conv/int8': 'simd base int8 gemm conv',
        'conv/bands': 'simd base gemm conv',
        'conv/volumes': 'simd base gemm',
        'kernels/reduction': 'simd base',
        'kernels/elementwise': 'simd base int8',
        'kernels/data_movement': 'base kernels/reduction',
        'kernels/sampling': 'simd base',
        'kernels/boxes': 'base',
        'kernels/lookup': 'base',
        'kernels/quantized_lstm': 'base',
        'kernels': 'simd base gemm conv',
        'engine': 'simd base int8 gemm conv conv/bands',
    },
    'backends/host': {
        'transport': '',
        'server': 'transport',
        'client': 'transport server',
    },
    'backends/vulkan': {
        'device': '',
        'pipeline': 'device',
        'memory': 'device pipeline',
        'lower/common': 'device pipeline memory',
        'lower/data_movement': 'device pipeline lower/common',
        'lower/elementwise': 'pipeline memory lower/common lower/data_movement',
        'lower/reduction': 'lower/common lower/data_movement lower/elementwise',
        'lower/gemm': 'device lower/common lower/data_movement lower/elementwise',
        'lower/int8': 'lower/common lower/elementwise lower/gemm',
        'lower/attention': 'lower/common lower/elementwise',
        'lower/recurrent': 'lower/common lower/elementwise lower/gemm',
        'lower/conv': 'device pipeline memory lower/common lower/elementwise lower/reduction lower/gemm lower/int8',
        'lower/sampling': 'lower/common lower/elementwise lower/reduction',
        'passes': 'device lower/common lower/data_movement lower/elementwise lower/gemm lower/attention lower/conv',
        'program': 'device pipeline memory lower/common passes',
        'program/build': 'device pipeline memory lower/common lower/data_movement passes program',
        'tuning': 'device pipeline memory lower/gemm program',
        'runtime': 'device pipeline memory lower/common lower/data_movement lower/reduction lower/gemm lower/int8 lower/attention passes '
                   'lower/recurrent lower/conv program tuning',
    },
    'core': {
        'base': '',
        'platform': 'base',
        'memory': 'base platform',
        'graph': 'base',
        'schema': 'base platform memory graph',
        'schema/data_movement': 'base schema',
        'schema/boxes': 'base schema',
        'schema/operators': 'base schema schema/data_movement schema/boxes',
        'writer': 'base graph schema',
        'passes/layout': 'base graph schema',
        'passes/simplify': 'base memory graph schema',
        'passes': 'base platform graph schema passes/layout passes/simplify',
        'device': 'base platform memory graph schema passes',
        'placement': 'base platform graph schema device',
        'runtime': 'base platform graph schema passes device placement',
        'cache': 'base platform memory graph schema passes device runtime',
    },
    'mindspore': {
        'reader': '',
        'weights': '',
        'schema': 'reader',
        'model': 'reader schema',
        'lower': 'schema model',
        'lower/families': 'schema model lower',
        'v0': 'reader schema model',
        'file': 'reader schema weights model v0',
        'lite_graph': 'reader schema model lower v0 file',
    },
    'nnapi': {
        'include': '',
        'base': '',
        'model': 'base',
        'operations': 'base model',
        'lower': 'model',
        'lower/families': 'lower',
        'plan': 'model operations lower',
        'device': 'base',
        'memory': 'base model',
        'builder': 'base model operations memory',
        'compilation': 'base model plan device memory builder',
        'execution': 'base model memory compilation',
    },
    'shaders': {
        'include/base': '',
        'include/elementwise': 'include/base',
        'include/gemm': 'include/base include/elementwise',
        'include/conv': 'include/gemm',
        '.': 'include/base include/elementwise include/gemm include/conv',
    },
    'tools/import': {
        'include': '',
        'network': '',
        'quantizer': '',
        'onnx/messages': '',
        'onnx/file': 'network',
        'onnx': 'network onnx/messages onnx/file',
        'onnx/held': 'network onnx/messages onnx/file onnx',
        'onnx/quantized': 'network onnx',
        'onnx/quantizer': 'network quantizer onnx/messages onnx',
        'onnx/operators': 'onnx onnx/quantized',
        'onnx/formulas': 'onnx',
        'onnx/contrib': 'network onnx onnx/quantized',
        'tflite': 'network',
        'tflite/formulas': 'network tflite',
        'tflite/recurrent': 'network tflite tflite/formulas',
        'tflite/quantizer': 'network quantizer tflite',
        'mindspore': 'network',
        'mindspore/writer': 'network',
        'mindspore/quantizer': 'network quantizer mindspore mindspore/writer',
        'nnapi': 'network',
        '.': 'network quantizer onnx onnx/quantizer tflite tflite/quantizer mindspore mindspore/quantizer',
        'library': 'network .',
    },
    'tools/plugins/onnxruntime': {
        'graph': '',
        'run': 'graph',
        'ep': 'graph run',
    },
    'tools/plugins/tflite': {
        '.': '',
        'host': '.',
    },
    'tools/nnrt': {
        'base': '',
        'image': 'base',
        'data': 'base image',
        'session': 'base data',
        'generate': 'base session',
        'plan': 'base session',
        'quantize': 'base data session',
        'command': 'base data session generate plan quantize',
        '.': 'base session command',
    },
}

# Folders that may hold a single source.
SINGLE = {
    'backends',                  # the list of built-in devices
    'python',                    # builds the module
    'tests/frameworks',          # runs commands in the root with the frameworks
    'tests/lint',                # the test of this folder
    'tests/operator_page',       # a program that tests a page of docs
    'tests/support/no_threads',  # a preloaded library
    'tests/unity',               # the test of a script
    'tools/device_host',         # a program
}

# Third-party programs, which keep their names, lengths and format.
FOREIGN = {'tests/conformance/runner', 'tests/nnapi/runner'}

# Sources that exceed the line limit and should be split.
LONG = {
    'backends/vulkan/lower/elementwise/lower_as_f32.cpp',
    'backends/vulkan/runtime/vulkan_model.cpp',
    'tests/device/lower/device_copies_test.cpp',
}
