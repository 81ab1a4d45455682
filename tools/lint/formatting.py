"""Runs clang-format on sources that changed since they were last found formatted."""
import concurrent.futures
import hashlib
import os
import subprocess

from structure import is_foreign
from tree import CODE, Problem

BATCH = 16


def sources(tree):
    return [path for path in tree.having(CODE) if not is_foreign(path)]


def run(tree, program, fix, known_file):
    """Checks the format, or with `fix` rewrites the files. Stores hashes of formatted files in known_file."""
    version = subprocess.run([program, '--version'], capture_output=True, check=True).stdout + tree.text('.clang-format').encode()
    known = set(known_file.read_text().split()) if known_file.exists() else set()

    def key(path):
        return hashlib.sha1(version + (tree.root / path).read_bytes()).hexdigest()

    paths = [path for path in sources(tree) if key(path) not in known]
    options = ['-i'] if fix else ['--dry-run', '--Werror', '--ferror-limit=1']

    def check(batch):
        return batch, subprocess.run([program, *options, *batch], cwd=tree.root, capture_output=True, text=True)

    problems = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for batch, result in pool.map(check, (paths[i:i + BATCH] for i in range(0, len(paths), BATCH))):
            wrong = {line.split(':')[0] for line in result.stderr.split('\n') if ': error: ' in line}
            if result.returncode and not wrong:
                raise RuntimeError(result.stderr)
            problems += (Problem(path, 0, 'is not formatted (./dev format)') for path in sorted(wrong))
            known.update(key(path) for path in batch if path not in wrong)
    if paths:
        known_file.parent.mkdir(parents=True, exist_ok=True)
        known_file.write_text('\n'.join(sorted(known & {key(path) for path in sources(tree)})))
    return problems
