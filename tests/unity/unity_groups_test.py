"""Sources whose meaning would change together are compiled separately: unity_groups_test.py FOLDER_OF_THE_SCRIPT"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

script = pathlib.Path(sys.argv.pop(1)) / 'unity_groups.py'


def together(*texts):
    """Whether two sources with these texts share a group."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f'source_{i}.cpp' for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding='utf-8')
        result = subprocess.run([sys.executable, '-B', script, *paths], capture_output=True, text=True, check=True)
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
