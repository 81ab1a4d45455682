"""The files that the commands of the pages name: small models, an array, images, labels."""
import os
import shutil

import numpy
from flatbuffer_writer import FlatBuffer
from onnx_writer import OnnxModel

CLASSES = ['cat', 'dog', 'bird']


def weights(*shape):
    return numpy.random.default_rng(len(shape)).standard_normal(shape).astype('float32')


def onnx_classifier():
    """x [batch, 3, 3, 3] -> y [batch, 3]. NCHW and NHWC have the same shape, so that one array fits both models."""
    model = OnnxModel()
    model.constant('w', weights(4, 3, 3, 3)).constant('f', weights(36, 3))
    model.node('Conv', ['x', 'w'], ['c'], '/conv', pads=[1, 1, 1, 1]).node('Relu', ['c'], ['r'], '/relu')
    model.node('Flatten', ['r'], ['v'], '/flatten').node('MatMul', ['v', 'f'], ['l'], '/head').node('Softmax', ['l'], ['y'], '/softmax')
    return model.input('x', [None, 3, 3, 3]).output('y', [None, 3]).bytes()


def tflite_classifier():
    """The same with NHWC: CONV_2D with RELU, FULLY_CONNECTED, SOFTMAX."""
    constants = [b'', weights(4, 3, 3, 3).tobytes(), weights(4).tobytes(), weights(3, 36).tobytes(), weights(3).tobytes()]

    def tensor(name, shape, buffer=0):
        return {0: shape, 2: ('I', buffer), 3: name}

    def operator(code, inputs, outputs, kind, options):
        return {0: ('I', code), 1: inputs, 2: outputs, 3: ('B', kind), 4: options}

    tensors = [tensor('x', [1, 3, 3, 3]), tensor('w', [4, 3, 3, 3], 1), tensor('b', [4], 2), tensor('c', [1, 3, 3, 4]),
               tensor('f', [3, 36], 3), tensor('g', [3], 4), tensor('l', [1, 3]), tensor('y', [1, 3])]
    operators = [operator(0, [0, 1, 2], [3], 1, {1: ('i', 1), 2: ('i', 1), 3: ('b', 1)}), operator(1, [3, 4, 5], [6], 8, {}),
                 operator(2, [6], [7], 9, {0: ('f', 1.0)})]
    codes = [{0: ('b', code), 2: ('i', 1), 3: ('i', code)} for code in (3, 9, 25)]
    graph = {0: tensors, 1: [0], 2: [7], 3: operators}
    buffers = [{0: data} if data else {} for data in constants]
    return FlatBuffer({0: ('I', 3), 1: codes, 2: [graph], 4: buffers}, b'TFL3').bytes()


def write(folder, source):
    def put(name, data):
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)

    def copy(path, name):
        shutil.copy(os.path.join(source, path), os.path.join(folder, name))

    for name in ('model.tflite', 'mobilenet.tflite'):
        put(name, tflite_classifier())
    put('model.onnx', onnx_classifier())
    for name in ('decode', 'prefill'):
        copy(f'tests/data/text/{name}_int8.onnx', f'{name}.onnx')
    numpy.save(os.path.join(folder, 'in.npy'), weights(1, 3, 3, 3))
    for name in ('labels.txt', 'imagenet.txt'):
        put(name, '\n'.join(CLASSES).encode())
    for name in ('cat.jpg', 'cat.bmp'):
        copy('tests/data/images/rgb' + name[3:], name)
    for label in CLASSES[:2]:
        os.makedirs(os.path.join(folder, 'photos', label))
        for image in ('rgb.jpg', 'rgb.png'):
            copy(f'tests/data/images/{image}', f'photos/{label}/{image}')
