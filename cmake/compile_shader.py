"""Compiles the variants of a shader: compile_shader.py GLSLC SOURCE FOLDER DEPFILE INCLUDE_FOLDERS VARIANT...

Writes FOLDER/<kernel>.h for each variant, "kernel DEFINE...", with the words without debug information and what the shader
binds. One process of glslc compiles all variants, because starting it takes several times as long as compiling one of them.
"""
import array
import os
import re
import subprocess
import sys
import tempfile

from cooperative_matrices import has_matrices, with_barrier_visibility, with_khr_matrices
from shader_interface import HEADER_WORDS, Interface, ShaderError, instructions

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
VERSION = re.compile(r'^#version .*\n', re.MULTILINE)
# OpSourceContinued to OpLine, OpNoLine, OpModuleProcessed
DEBUG = {*range(2, 9), 317, 330}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def variant(source, text, defines):
    """The source with the definitions after its version, the only place where GLSL allows them."""
    version = VERSION.search(text)
    line = text.count('\n', 0, version.end())
    definitions = ''.join(f'#define {define}\n' for define in defines)
    return f'{version.group()}{definitions}#line {line + 1}\n{text[version.end():]}'


def stripped(words):
    kept = words[:HEADER_WORDS]
    position = HEADER_WORDS
    while position < len(words):
        size = words[position] >> 16
        if words[position] & 0xffff not in DEBUG:
            kept += words[position:position + size]
        position += size
    return kept


def included(text, folders, found):
    """Adds the files that a text includes, transitively."""
    for name in INCLUDE.findall(text):
        path = next(path for path in (os.path.join(folder, name) for folder in folders) if os.path.exists(path))
        if path not in found:
            found.add(path)
            included(read(path), folders, found)
    return found


def assembled(header, code, bound):
    words = [*header[:3], bound, *header[4:]]
    for opcode, operands in code:
        words += [len(operands) + 1 << 16 | opcode, *operands]
    return words


def header_text(kernel, words):
    """The declarations that a row of the table of embedded shaders refers to."""
    words = list(words)
    interface = Interface(words)
    header, code, khr = words[:HEADER_WORDS], list(instructions(words)), ''
    if has_matrices(code):
        code, bound = with_barrier_visibility(code, header[3])
        words = assembled(header, code, bound)
        khr = ','.join(map(str, assembled(header, *with_khr_matrices(code, bound))))
    accesses = ', '.join(f'{{{reads:d}, {writes:d}}}' for _, reads, writes in interface.bindings)
    kinds = ', '.join(f'nnrt::vulkan::BindingKind::{kind}' for kind, _, _ in interface.bindings)
    return f"""#pragma once
#include "backends/vulkan/pipeline/embedded_shaders.h"
const uint32_t k_{kernel}[] = {{{','.join(map(str, words))}}};
{f'const uint32_t khr_{kernel}[] = {{{khr}}};' if khr else f'constexpr std::span<const uint32_t> khr_{kernel};'}
const nnrt::vulkan::Access accesses_{kernel}[] = {{{accesses}}};
const nnrt::vulkan::BindingKind kinds_{kernel}[] = {{{kinds}}};
const uint32_t push_bytes_{kernel} = {interface.push_bytes};
"""


def main():
    glslc, source, folder, depfile, folders, *variants = sys.argv[1:]
    folders = folders.split(':')
    variants = [entry.split() for entry in variants]
    text = read(source)
    headers = [os.path.join(folder, f'{kernel}.h') for kernel, *_ in variants]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        for kernel, *defines in variants:
            with open(os.path.join(work, f'{kernel}.comp'), 'w', encoding='utf-8') as file:
                file.write(variant(source, text, defines))
        command = [glslc, '-c', '--target-env=vulkan1.2', *(f'-I{path}' for path in folders)]
        if subprocess.run([*command, *(f'{kernel}.comp' for kernel, *_ in variants)], cwd=work, check=False).returncode:
            sys.exit(f'{source} does not compile')
        for (kernel, *_), header in zip(variants, headers):
            words = array.array('I')
            with open(os.path.join(work, f'{kernel}.comp.spv'), 'rb') as file:
                words.frombytes(file.read())
            try:
                declarations = header_text(kernel, stripped(words))
            except ShaderError as error:
                sys.exit(f'{source}, {kernel}: {error}')
            with open(header, 'w', encoding='utf-8') as file:
                file.write(declarations)
    with open(depfile, 'w', encoding='utf-8') as file:
        file.write(f'{" ".join(headers)}: {" ".join([source, *sorted(included(text, folders, set()))])}\n')


if __name__ == '__main__':
    main()
