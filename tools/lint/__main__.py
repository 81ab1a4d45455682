"""Checks the structure of the source tree and the format of its sources: python3 tools/lint [--fix-format] [--no-format] [--messages] [ROOT]"""
import argparse
import pathlib
import shutil
import sys

import citations
import formatting
import messages
import structure
from tree import Tree


def main():
    parser = argparse.ArgumentParser(prog='lint', description='Checks the structure of the tree and the format of its sources.')
    parser.add_argument('--fix-format', action='store_true', help='rewrite sources in the format of .clang-format first')
    parser.add_argument('--no-format', action='store_true', help='do not run clang-format')
    parser.add_argument('--messages', action='store_true', help='list every log and error message instead')
    parser.add_argument('root', nargs='?', type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    options = parser.parse_args()
    if options.messages:
        print(*messages.messages(Tree(options.root)), sep='\n')
        return
    clang_format = shutil.which('clang-format')
    known = options.root / 'build' / 'formatted_sources.txt'
    if not options.no_format and not clang_format:
        sys.exit('lint: clang-format is not installed')
    if options.fix_format:
        formatting.run(Tree(options.root), clang_format, True, known)
    tree = Tree(options.root)
    problems = [problem for check in structure.CHECKS + citations.CHECKS for problem in check(tree)]
    if not options.no_format:
        problems += formatting.run(tree, clang_format, False, known)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f'lint: {len(problems)} problem{"s" if len(problems) > 1 else ""} in {len(tree.files)} files')
    print(f'lint: {len(tree.files)} files, no problems')


if __name__ == '__main__':
    main()
