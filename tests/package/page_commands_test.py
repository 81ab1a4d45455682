"""page_commands_test.py BUILD: runs the commands of README.md, docs and examples as they are written, and counts those it cannot run.

Each page has a temporary folder with the files that its commands name, and `build`, `examples`, ... of the tree."""
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, 'tests', 'python'))
try:
    import page_files  # noqa: E402
except ImportError as error:  # numpy, onnx
    print(f'Skipped: {error}')
    sys.exit(0)

COMMAND = re.compile(r'(?:[A-Z_]+=\S+ )*(?:\./\S+|build/bin/\S+|nnrt(?:-\S+)?|cmake|ninja|cpack|ctest|python3?|sh|bash|cd|for|export|'
                     r'pip3?|apt|apt-get|sudo|npm|node|curl|git)(?= (?! ))')
FENCE = re.compile(r'```(\w*)')
SHELLS = {'', 'sh', 'bash', 'console'}

# Commands that are not run, and why. Each row matches a command of some page.
NOT_RUN = [
    (r'\./dev ', 'builds, installs packages or measures for minutes'),
    (r'(cmake --build|ninja) ', 'builds'),
    (r'cd build && cpack', 'takes minutes; check_package.sh runs it'),
    (r'for part in runtime', 'needs root'),
    (r'sudo apt install ', 'installs; check_release.sh does so in a root'),
    (r'cmake --install ', 'needs all targets; check_install.sh and check_package.sh install'),
    (r'BUILD_TREE=', 'needs python3-build; check_wheel.sh runs it'),
    (r'(sh|python3) bench/(?!models/)|build/bin/(\w+_bench|cold_file) ', 'measures for minutes'),
    (r'build/bin/nnapi_runner ', 'takes minutes; nnapi.* run it'),
    (r'nnrt-conformance ', 'takes minutes; conformance.* run it'),
    (r'nnrt generate Qwen', 'needs a downloaded model; the tests of generate make decoders of its form'),
    (r'nnrt-device-host --socket', 'serves until it is stopped'),
    (r'cmake -S examples/', 'needs the installed package; check_package.sh runs it'),
    (r'python3 -m nnrt.batch .*--scheduler', 'needs a scheduler; python.cpu runs it'),
]


def commands_of(page):
    """(line, command) for each; a backslash at the end of a line continues it."""
    fence, found = None, []
    with open(page, encoding='utf-8') as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        if mark := FENCE.match(line):
            fence = mark[1] if fence is None else None
            continue
        if fence is None and not line.startswith('    ') or fence is not None and fence not in SHELLS:
            continue
        text = line if fence is not None else line[4:]
        if found and found[-1][1].endswith('\\'):
            found[-1] = (found[-1][0], found[-1][1][:-1] + text.strip())
        elif COMMAND.match(text):
            found.append((number, text))
    return found


def reason_not_to_run(command, has_gpu):
    for pattern, reason in NOT_RUN:
        if re.match(pattern, command):
            return reason
    return '' if has_gpu or not re.search(r'\bgpu\b', command) else 'no Vulkan driver'


def prepare(folder, build):
    page_files.write(folder, SOURCE)
    os.symlink(build, os.path.join(folder, 'build'))
    subprocess.run([os.path.join(build, 'bin', 'nnrt'), 'convert', 'model.onnx', '-o', 'model.ms'], cwd=folder, check=True)
    for name in ('bench', 'examples', 'tests'):
        os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))


def run_page(page, commands, build):
    """The failures, in sentences."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, build)
        path = [os.path.join(build, 'bin'), os.path.dirname(sys.executable), os.environ['PATH']]  # its python3 has numpy
        environment = dict(os.environ, PATH=os.pathsep.join(path))
        for number, command in commands:
            done = subprocess.run(['bash', '-c', command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                                  errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0:
                yield f'{page}:{number}: {command}\n  ended with {done.returncode}:\n{done.stdout[-2000:]}'


def pages():
    patterns = ['README.md', 'docs/*.md', 'examples/README.md', 'examples/*/README.md']
    return [page for pattern in patterns for page in sorted(glob.glob(pattern, root_dir=SOURCE))]


def main(build):
    has_gpu = bool(os.environ.get('VK_DRIVER_FILES'))
    work, reasons, every = {}, collections.defaultdict(list), []
    for page in pages():
        for number, command in commands_of(os.path.join(SOURCE, page)):
            every.append(command)
            if reason := reason_not_to_run(command, has_gpu):
                reasons[reason].append(f'{page}:{number}')
            else:
                work.setdefault(page, []).append((number, command))
    failures = [f'No page has a command that matches {pattern}.' for pattern, _ in NOT_RUN
                if not any(re.match(pattern, command) for command in every)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda page: list(run_page(page, work[page], build)), work):
            failures += found
    print(f'{sum(map(len, work.values()))} of {len(every)} commands run.')
    for reason, places in reasons.items():
        print(f'{len(places)} not run ({reason}): {", ".join(places)}')
    print(*failures, sep='\n')
    return 1 if failures or not work else 0


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1])))
