"""Follows docs/adding-an-operator.md to the letter: follow_operator_page.py pieces|whole ROOT SCRATCH [arguments of cmake].

Copies the sources to SCRATCH and makes the page's edits there; each line named by the page must occur exactly
once. Writes the golden cases with the page's generator. Then compiles the edited pieces, or all libraries, the
program that writes the specification's tables, and the conformance runner, which runs the page's golden cases on the
CPU device and, if PAGE_DRIVER names a Vulkan driver, on the GPU device.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

PAGE = 'docs/adding-an-operator.md'
MAX_FILES = 6
STEP = re.compile(
    r'In\s+`(?P<old>[^`]+)`|New file\s+`(?P<new>[^`]+)`|(?P<where>after|before) the line `(?P<line>.+?)`:\n'
    r'|^(?P<indent> *)```\w+\n(?P<block>.*?)^ *```$', re.DOTALL | re.MULTILINE)


def edits_of(page):
    """The steps of the page: (file, where, line, block); where and line are None for a new file."""
    edits, file, place = [], None, None
    for match in STEP.finditer(page):
        if match['old'] or match['new']:
            file, place = match['old'] or match['new'], (None, None) if match['new'] else None
        elif match['where']:
            place = match['where'], match['line']
        else:
            assert file and place, f'A block says not where it belongs: {match["block"]}'
            indent = len(match['indent'])
            block = ''.join(line[indent:] or '\n' for line in match['block'].splitlines(keepends=True))
            edits.append((file, *place, block))
            place = None
    return edits


def apply(edit, source):
    file, where, line, block = edit
    path = source / file
    if where is None:
        assert not path.exists(), f'{file} exists'
        path.write_text(block)
        return
    lines = path.read_text().splitlines(keepends=True)
    found = [i for i, text in enumerate(lines) if text.strip() == line]
    assert len(found) == 1, f'{file} has the line {line!r} {len(found)} times'
    lines.insert(found[0] + (where == 'after'), block)
    path.write_text(''.join(lines))


def copy(root, source):
    """Keeps file times, so that objects compiled by an earlier run stay valid."""
    shutil.rmtree(source, ignore_errors=True)
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, listed.split('\0')):
        file, target = root / name, source / name
        if file.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)


def write_cases(generator, source):
    """Runs the generator; returns the file that it adds. All others must stay as they are."""
    folder = source / 'tests/conformance/golden'
    before = {path: path.read_bytes() for path in folder.iterdir()}
    run(sys.executable, '-B', source / generator)
    changed = [path for path in folder.iterdir() if before.get(path) != path.read_bytes()]
    assert len(changed) == 1 and changed[0] not in before, f'The generator wrote {changed}.'
    return changed[0]


def run(*command, **environment):
    print('+', *command, flush=True)
    subprocess.run(command, check=True, env={**os.environ, **environment})


def build(source, scratch, *targets, arguments):
    # Makes compiler cache hits independent of the folder.
    cached = {'CCACHE_BASEDIR': str(source.parent), 'CCACHE_NOHASHDIR': '1'}
    run('cmake', '-S', source, '-B', scratch, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
        '-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG', *arguments, **cached)
    run('cmake', '--build', scratch, '--target', *targets, **cached)


def compute(runner, cases):
    check = [runner, '--isolate', 'none', '--verbose', cases]
    caches = runner.parent / 'caches'
    caches.mkdir(exist_ok=True)
    run(*check, '--device', 'cpu', NNRT_DEVICES='cpu')
    run(*check, '--device', 'cpu', '--cache', caches, NNRT_DEVICES='cpu')
    if driver := os.environ.get('PAGE_DRIVER'):
        run(*check, '--device', 'gpu', NNRT_DEVICES='vulkan,cpu', NNRT_FALLBACK='off', VK_DRIVER_FILES=driver,
            VK_ICD_FILENAMES=driver)


def main(extent, root, scratch, *arguments):
    root, scratch = pathlib.Path(root).resolve(), pathlib.Path(scratch).resolve()
    edits = edits_of((root / PAGE).read_text())
    files = sorted({edit[0] for edit in edits})
    print(f'{len(edits)} steps in {len(files)} files:', *files, sep='\n  ')
    assert 0 < len(files) <= MAX_FILES, f'There are {len(files)} files; at most {MAX_FILES} are allowed.'
    source, libraries = scratch / 'source', scratch / 'build'
    copy(root, source)
    for edit in edits:
        apply(edit, source)
    golden = write_cases(next(file for file in files if file.startswith('tests/conformance/generate/')), source)
    assert all(json.loads(line) for line in golden.read_text().splitlines())
    parts = [f'-DNNRT_{part}=OFF' for part in ('TESTS', 'TOOLS', 'EXAMPLES', 'BENCH')]
    if extent == 'pieces':
        pieces = [f'{source / file}^' for file in files if file.endswith('.cpp')]  # the objects compiled from a file
        shaders = ['shaders/words/unary_f32.h', 'shaders/words/unary_f16.h']
        build(source, libraries, *pieces, *('-DNNRT_VULKAN=ON' in arguments) * shaders, arguments=[*parts, *arguments])
        return
    tables = source / 'docs/spec/operators'
    written = tables.parent / 'written'
    build(source, libraries, 'operator_tables', 'neural_network_core', 'neural_network_runtime', arguments=[*parts, *arguments])
    run(libraries / 'bin/operator_tables', tables, written)
    section = (written / 'unary.md').read_text().split('## SOFTSIGN', 1)[1].split('## ', 1)[0]
    assert '= 1900, an operator of this runtime' in section and '| input | float | any rank |' in section, section
    places = [f'-DNNRT_INCLUDE_DIR={source}/api/include', f'-DNNRT_LIBRARY_DIR={libraries}/lib']
    build(source / 'tests/conformance/runner', scratch / 'runner', 'conformance_runner', arguments=[*places, *arguments])
    compute(scratch / 'runner/conformance_runner', golden)


if __name__ == '__main__':
    main(*sys.argv[1:])
