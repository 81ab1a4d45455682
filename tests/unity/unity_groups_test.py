"""Tests which sources are compiled together, and which of their names are replaced: unity_groups_test.py FOLDER_OF_THE_SCRIPT"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

script = pathlib.Path(sys.argv.pop(1)) / 'unity_groups.py'


@contextlib.contextmanager
def grouped(*texts, most=24, **headers):
    """The folder and the groups of sources with these texts; name='text' is the header core/name.h."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ('cmake', 'core'):
            (root / name).mkdir()
        shutil.copy(script, root / 'cmake')  # it looks for headers beside its folder
        for name, text in headers.items():
            (root / 'core' / f'{name}.h').write_text(text, encoding='utf-8')
        paths = [root / f'source_{i}.cpp' for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding='utf-8')
        requests = root / 'requests.txt'
        requests.write_text('|'.join(map(str, ['sources', root / 'unity', most, *paths])) + '\n', encoding='utf-8')
        command = [sys.executable, '-B', root / 'cmake' / script.name, requests]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        yield root, [line.split('|')[1:] for line in result.stdout.splitlines()]


def replaced(*texts, **headers):
    """The names replaced in sources that share a group, as 'name in number'; None if they do not share one."""
    with grouped(*texts, **headers) as (_, groups):
        if [len(group) for group in groups] != [1 + len(texts)]:
            return None
        text = pathlib.Path(groups[0][0]).read_text(encoding='utf-8')
        return {f'{name} in {number}' for name, number in re.findall(r'#define (\w+) \1_of_source_(\d)\n', text)}


def local(text):
    return 'namespace nnrt { namespace { ' + text + ' } }\n'


class UnityGroups(unittest.TestCase):
    def test_joins_what_has_nothing_in_common(self):
        self.assertEqual(replaced(local('int one() { return 1; }'), local('struct Two { int three; };')), set())

    def test_groups_are_no_larger_than_requested(self):
        with grouped(*[local(f'int f{i}() {{ return 1; }}') for i in range(5)], most=2) as (_, groups):
            self.assertEqual([len(group) - 1 for group in groups], [2, 2])  # the fifth stays alone

    def test_leaves_what_another_source_defines(self):
        declaration = 'extern "C" int f(const char* text);\nint main() { return f(""); }\n'
        self.assertEqual(replaced('extern "C" int f(const char*) { return 1; }\n', declaration), set())

    def test_replaces_equal_names(self):
        for text in ('int f() { return 1; }', 'struct f { int a; };', 'constexpr int f = 3;', 'const char* f[] = {"a"};',
                     'enum Kind { e, f };', 'template <class T = int> T f(T value) { return value; }', 'using f = int;'):
            with self.subTest(text):
                self.assertIn('f in 0', replaced(local(text), local('float f(double x) { return 2; }')))

    def test_keeps_a_name_from_those_who_mean_another(self):
        # The second source calls a header's g(), which the first one's would hide.
        calls = 'namespace nnrt { long h() { return g(1L); } }'
        self.assertEqual(replaced(local('int g(int x) { return x; }'), calls), {'g in 0'})
        # A macro would replace these too.
        self.assertIsNone(replaced(local('int g(int x) { return x + s.g(); }'), calls))
        self.assertIsNone(replaced('#include "core/one.h"\n' + local('int g(int x) { return x; }'), calls, one='int g(S);'))
        self.assertIsNone(replaced('#define CALL g(1)\n' + local('int g(int x) { return x; }'), calls))
        self.assertIsNone(replaced('#ifdef A\n#include "core/one.h"\n#endif\n' + local('int g(int x) { return x; }'), calls, one=''))

    def test_replaces_no_names_of_tests(self):
        fixture = local('struct A { int x; }; TEST_F(A, One) { f(); }')
        self.assertEqual(replaced(fixture, local('struct A { int y; };')), {'A in 1'})
        self.assertIsNone(replaced(fixture, local('struct A { int y; }; TEST_F(A, Two) { f(); }')))

    def test_members_and_comments_are_no_mentions(self):
        self.assertEqual(replaced(local('int g() { return 1; }'), 'long h(S s) { return s.g() + P::g; }  // g of S\n'), set())

    def test_variables_hide_functions(self):
        self.assertEqual(replaced(local('int size() { return 1; }'), 'int f(int size) { return size + 1; }'), set())
        self.assertEqual(replaced(local('int size() { return 1; }'), 'int f() { return size() + 1; }'), {'size in 0'})

    def test_exported_functions_are_not_local(self):
        self.assertEqual(replaced('const int* row(int x) { return table + x; }', 'int f() { return *row(1); }'), set())
        self.assertEqual(replaced('static const int* row(int x) { return table + x; }', 'int f() { return *row(1); }'), {'row in 0'})

    def test_headers_of_one_source_hide_no_names_of_the_other(self):
        def check(one, two, text):
            return replaced('#include "core/one.h"\n', '#include "core/two.h"\n' + text, one=one, two=two)
        calls = 'namespace a::b { int g() { return f(1L); } }'
        self.assertIsNone(check('namespace a::b { int f(int); }', 'namespace a { int f(long); }', calls))
        self.assertEqual(check('namespace a::b { int f(int); }', 'namespace a { int f(long); }', calls.replace('a::b', 'a')), set())
        self.assertEqual(check('namespace a { int f(int); }', 'namespace a::b { int f(long); }', calls), set())
        self.assertIsNone(check('namespace a { struct F { int x; }; }', 'namespace a { struct F { long x; }; }', ''))
        self.assertEqual(check('namespace a { int f(int); struct G; }', 'namespace a { int f(long); struct G {}; }', calls), set())

    def test_statics_and_macros_count(self):
        self.assertEqual(replaced('static int count;', 'int f() { return count; }'), {'count in 0'})
        self.assertIsNone(replaced('#define SIZE 3\n', 'enum class Words { SIZE };'))

    def test_equal_aliases_may_meet(self):
        self.assertEqual(replaced('using Json = a::json;\nJson f();', 'using Json = a::json;\nJson g();'), set())
        self.assertEqual(replaced('using a::Json;\nJson f();', 'using a::Json;\nJson g();'), set())
        self.assertEqual(replaced('using Json = a::json;\nJson f();', 'using Json = b::json;\nJson g();'), {'Json in 0', 'Json in 1'})

    def test_opened_namespaces_change_no_names(self):
        self.assertIsNone(replaced('using namespace std;\n', 'int f();'))  # nobody knows what it declares
        self.assertEqual(replaced('using namespace std;\nint f();', 'using namespace std;\nint g();'), set())

        def check(opened, text):
            header = 'namespace a { int f(int); enum class E { x, y }; }'
            return replaced(f'#include "core/one.h"\n{opened}\n', text, one=header)
        self.assertIsNone(check('using namespace a;', 'int g() { return f(1L); }'))
        self.assertEqual(check('using namespace a;', 'int g() { return h(1L); }'), set())
        self.assertEqual(check('using namespace a;', 'namespace a { int g() { return f(1L); } }'), set())
        self.assertIsNone(check('using enum a::E;', 'int g() { return x; }'))
        self.assertEqual(check('using enum a::E;', 'int g() { return z; }'), set())

    def test_tests_define_no_names(self):
        self.assertEqual(replaced(local('TEST(A, One) { f(); }'), local('TEST(B, Two) { f(); }')), set())

    def test_means_the_same_compiled_together(self):
        one = '#include <cstdlib>\n' + local('int f(double) { return 1; }') + 'namespace nnrt { int one() { return f(0) + abs(-2); } }\n'
        two = '#include "core/both.h"\n' + local('int f(int) { return 4; } int abs(int) { return 8; }')
        two += 'namespace nnrt { int two() { return f(0) + abs(-2); } }\nint main() { return nnrt::one() + nnrt::two(); }\n'
        with grouped(one, two, both='namespace nnrt { int one(); }\n') as (root, groups):
            self.assertEqual(len(groups), 1)
            program = root / 'program'
            subprocess.run([os.environ.get('CXX', 'c++'), '-I', root, '-o', program, groups[0][0]], check=True)
            self.assertEqual(subprocess.run(program, check=False).returncode, 15)


if __name__ == '__main__':
    unittest.main()
