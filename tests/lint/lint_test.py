"""Plants one violation of each kind in a small tree, and expects the lint to report it: lint_test.py FOLDER_OF_THE_LINT"""
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))
import citations  # noqa: E402
import formatting  # noqa: E402
import messages  # noqa: E402
import structure  # noqa: E402
from tree import Tree  # noqa: E402

LAYERS = [('core', 'vulkan cassert', ''), ('tools', 'core', 'core/base/result.h')]
AREAS = {'core': {'base': '', 'graph': 'base'}}
CLEAN = {
    '.clang-format': 'DisableFormat: true\n',
    'core/README.md': '| `base` | text |\n| `graph` | graphs |\n',
    'core/base/text.h': '#include <string>\n',
    'core/base/text.cpp': '#include "core/base/text.h"  // (R1, api.md 2 and 3.1)\n',
    'core/graph/graph.h': '// Finished as operators/unary.md\n// ABS says (A2, api.md OH_NN_Add).\n#include "core/base/text.h"\n',
    'core/graph/node.h': '#include "graph.h"\n',
    'tools/README.md': '| `nnrt` | [the tool](../docs/spec/api.md#a2), [core](../core) |\n',
    'tools/nnrt/main.cpp': '#include "core/base/result.h"\n',
    'tools/nnrt/app.cpp': '#include <vector>\n',
    'docs/spec/rules.md': '<a id="r1"></a>\n',
    'docs/spec/api.md': '<a id="a2"></a><a id="2"></a><a id="3.1"></a>\n## OH_NN_Add\n',
    'docs/spec/operators/unary.md': '## ABS\n',
    'api/include/neural_network_runtime/neural_network_core.h': '/**\n * @param a a term\n * @return the sum\n */\nint OH_NN_Add(int a);\n',
}


def problems(check, changes=None, **tables):
    """The check's messages for the small tree with these changes; None removes a file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**CLEAN, **(changes or {})}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                path.write_text(text, encoding='utf-8')
        return [str(problem) for problem in check(Tree(folder), **tables)]


class Lint(unittest.TestCase):
    def assert_reported(self, check, expected, changes, **tables):
        self.assertEqual(problems(check, **tables), [])
        with self.subTest(changes):
            found = problems(check, changes, **tables)
            self.assertEqual(len(found), 1, found)
            self.assertIn(expected, found[0])

    def test_layers(self):
        def check(path, header, expected):
            self.assert_reported(structure.layers, expected, {path: f'\n#include {header}\n'}, table=LAYERS)
        check('core/graph/node.h', '<vulkan/vulkan.h>', 'core/graph/node.h:2: core may not include vulkan/vulkan.h')
        check('core/graph/node.h', '<cassert>', 'core may not include cassert')
        check('tools/nnrt/app.cpp', '"core/base/text.h"', 'tools may not include core/base/text.h')

    def test_checked_lists(self):
        def check(line):
            self.assert_reported(structure.checked_lists, 'core/graph/node.h:2: takes List or Dims',
                                 {'core/graph/node.h': f'\n{line}\n', 'core/graph/quantizer/file.h': line}, folders=('core/graph',))
        check('std::vector<int64_t> axes;')
        check('nnrt::Shape shape;')
        self.assertEqual(problems(structure.checked_lists, {'core/graph/node.h': 'std::vector<Row> rows();'}, folders=('core/graph',)), [])

    def test_tables_name_folders_with_sources(self):
        self.assertEqual(problems(structure.layers, table=[('cora', 'vulkan', '')]),
                         ['tools/lint/rooms.py: LAYERS names cora, which has no sources'])
        self.assertEqual(problems(structure.room_includes, areas={'core': {'base': '', 'graph': 'base', 'plan': ''}}),
                         ['tools/lint/rooms.py: core/plan has no sources'])

    def test_rooms(self):
        def check(path, text, expected, areas=AREAS):
            self.assert_reported(structure.room_includes, expected, {path: text}, areas=areas)
        check('core/base/text.h', '#include "core/graph/graph.h"', 'core/base/text.h:1: core/base may not include core/graph/graph.h')
        check('core/base/text.h', '#include "../graph/graph.h"', 'core/base may not include core/graph/graph.h')
        check('core/new/file.h', '', 'core/new is no room of core')

    def test_rooms_without_circles(self):
        found = problems(structure.room_includes, areas={'core': {'base': 'graph', 'graph': 'base'}})
        self.assertEqual(found, ['tools/lint/rooms.py: graph of core must precede base, which includes it'])

    def test_readme_rows(self):
        def check(path, text, expected):
            self.assert_reported(structure.readme_rows, expected, {path: text}, areas=AREAS)
        check('core/README.md', '| `graph` | graphs |\n| `base` | text |\n', 'core/README.md: lists the rooms of core as')
        check('tools/new/file.py', '', 'tools/README.md: has no row for tools/new')

    def test_names(self):
        self.assert_reported(structure.names, 'tools/nnrt/text.cpp: has the base name of core/base/text',
                             {'tools/nnrt/text.cpp': ''})

    def test_definitions(self):
        declared = {'core/base/text.h': 'std::vector<Row> graph_rows();\nint size_of(int dtype);\nint other(int a);\n'}
        defined = 'std::vector<Row> graph_rows() { return {}; }\nint size_of(int dtype) {\n  return dtype;\n}\n'
        self.assert_reported(structure.definitions, 'core/base/text.h: declares size_of(), which graph defines',
                             {**declared, 'core/graph/graph.cpp': defined}, areas=AREAS)
        self.assertEqual(problems(structure.definitions, {**declared, 'core/base/text.cpp': defined}, areas=AREAS), [])

    def test_citations(self):
        def check(comment, expected):
            self.assert_reported(citations.spec_citations, expected, {'core/base/text.cpp': f'\nint a;  // {comment}\n'})
        check('(R2)', 'core/base/text.cpp:2: cites r2, which docs/spec/rules.md does not have')
        check('(A1)', 'cites a1')
        check('(api.md 2 and 3.2)', 'cites 3.2')
        check('(api.md OH_NN_End)', 'cites oh_nn_end')
        check('(operators/unary.md SIN)', 'cites sin, which docs/spec/operators/unary.md does not have')
        check('see api.md', 'cites no section of api.md')

    def test_citations_across_lines(self):
        self.assert_reported(citations.spec_citations, 'core/base/text.cpp:1: cites 4',
                             {'core/base/text.cpp': '// As in api.md\n// 4.\n'})

    def test_links(self):
        def check(link):
            self.assert_reported(citations.links, f'tools/README.md:2: links to {link}', {'tools/README.md': f'\n[page]({link})\n'})
        check('missing.md')
        check('#missing')
        check('../docs/spec/api.md#a3')

    def test_sections_of_functions(self):
        self.assert_reported(citations.function_sections, 'docs/spec/api.md: has no section for OH_NN_End',
                             {'api/include/neural_network_runtime/neural_network_core.h': 'int OH_NN_End(int a);\n'})

    def test_documented_functions(self):
        header = 'api/include/neural_network_runtime/nnrt_extensions.h'

        def check(comment, declaration, expected):
            self.assert_reported(citations.documented_functions, f'{header}:5: does not describe {expected}',
                                 {header: f'int OH_NN_Data;\n/**\n * {comment}\n */\n{declaration}\n'})
        check('@return the sum', 'int OH_NN_Add(int a, const void* data[]);', 'a, data of OH_NN_Add')
        check('@param done is called.', 'void OH_NN_Run(void (*done)(int code),\n               int last);', 'last of OH_NN_Run')
        check('Counts.', 'int OH_NN_Count(void);', 'the result of OH_NN_Count')

    def test_messages(self):
        def check(code, *expected):
            self.assertEqual(list(messages.messages_of(code)), [(1, text) for text in expected])
        check('return invalid("Axis (", axis, ") is outside [-", r, ", ", r, ").");', 'Axis ({}) is outside [-{}, {}).')
        check('fail(cat("Only ", a.b(), " of \\"x\\" fit."));  // A comment is not a message.', 'Only {} of "x" fit.')
        check('fail("File is " "empty."); log("Second ", one, " is here.");', 'File is empty.', 'Second {} is here.')
        check('name("softmax"); path = "a/b.txt";')

    @unittest.skipUnless(shutil.which('clang-format'), 'clang-format is not installed')
    def test_format(self):
        def check(tree, fix=False):
            return formatting.run(tree, 'clang-format', fix, tree.root / 'build' / 'known.txt')
        self.assert_reported(check, 'core/base/text.h: is not formatted',
                             {'core/base/text.h': 'int  a;\n', '.clang-format': 'BasedOnStyle: Google\n'})
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / 'core').mkdir()
            (root / 'core/a.cpp').write_text('int  a;\n', encoding='utf-8')
            (root / '.clang-format').write_text('BasedOnStyle: Google\n', encoding='utf-8')
            for fix, count in ((False, 1), (True, 0), (False, 0)):
                self.assertEqual(len(check(Tree(folder), fix)), count)
            (root / 'core/a.cpp').write_text('int a ;\n', encoding='utf-8')
            self.assertEqual(len(check(Tree(folder))), 1)


if __name__ == '__main__':
    unittest.main()
