"""Sources whose meaning would change together are compiled separately: unity_groups_test.py FOLDER_OF_THE_SCRIPT"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

script = pathlib.Path(sys.argv.pop(1)) / 'unity_groups.py'


def together(*texts, **headers):
    """Whether two sources with these texts share a group; name='text' is the header core/name.h."""
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
        result = subprocess.run([sys.executable, '-B', root / 'cmake' / script.name, *paths], capture_output=True, text=True, check=True)
    return result.stdout == '|'.join(map(str, paths)) + '\n'


def local(text):
    return 'namespace nnrt { namespace { ' + text + ' } }\n'


class UnityGroups(unittest.TestCase):
    def test_joins_what_has_nothing_in_common(self):
        self.assertTrue(together(local('int one() { return 1; }'), local('struct Two { int three; };')))

    def test_keeps_equal_names_apart(self):
        for text in ('int f() { return 1; }', 'struct f { int a; };', 'constexpr int f = 3;', 'const char* f[] = {"a"};',
                     'enum Kind { e, f };', 'template <class T = int> T f(T value) { return value; }', 'using f = int;'):
            with self.subTest(text):
                self.assertFalse(together(local(text), local('float f(double x) { return 2; }')))

    def test_keeps_a_name_from_those_who_mean_another(self):
        # The second source calls a header's g(), which the first one's would hide.
        self.assertFalse(together(local('int g(int x) { return x; }'), 'namespace nnrt { long h() { return g(1L); } }'))

    def test_members_and_comments_are_no_mentions(self):
        self.assertTrue(together(local('int g() { return 1; }'), 'long h(S s) { return s.g() + P::g; }  // g of S\n'))

    def test_variables_hide_functions(self):
        self.assertTrue(together(local('int size() { return 1; }'), 'int f(int size) { return size + 1; }'))
        self.assertFalse(together(local('int size() { return 1; }'), 'int f() { return size() + 1; }'))

    def test_exported_functions_are_not_local(self):
        self.assertTrue(together('const int* row(int x) { return table + x; }', 'int f() { return *row(1); }'))
        self.assertFalse(together('static const int* row(int x) { return table + x; }', 'int f() { return *row(1); }'))

    def test_headers_of_one_source_hide_no_names_of_the_other(self):
        def check(one, two):
            return together('#include "core/one.h"\n', '#include "core/two.h"\nnamespace a::b { int g(); }', one=one, two=two)
        self.assertFalse(check('namespace a::b { int f(int); }', 'namespace a { int f(long); }'))
        self.assertFalse(check('namespace a { struct F { int x; }; }', 'namespace a { struct F { long x; }; }'))
        self.assertTrue(check('namespace a { int f(int); struct G; }', 'namespace a { int f(long); struct G {}; }'))

    def test_statics_and_macros_count(self):
        self.assertFalse(together('static int count;', 'int f() { return count; }'))
        self.assertFalse(together('#define SIZE 3\n', 'enum class Words { SIZE };'))

    def test_equal_aliases_may_meet(self):
        self.assertTrue(together('using Json = a::json;\nJson f();', 'using Json = a::json;\nJson g();'))
        self.assertFalse(together('using Json = a::json;\nJson f();', 'using Json = b::json;\nJson g();'))

    def test_opened_namespaces_stay_among_themselves(self):
        self.assertFalse(together('using namespace std;\n', 'int f();'))
        self.assertTrue(together('using namespace std;\nint f();', 'using namespace std;\nint g();'))

    def test_tests_define_no_names(self):
        self.assertTrue(together(local('TEST(A, One) { f(); }'), local('TEST(B, Two) { f(); }')))


if __name__ == '__main__':
    unittest.main()
