"""names_and_sizes.py finds what clang-tidy finds in the same text, and nothing else: names_and_sizes_test.py ROOT."""
import pathlib
import subprocess
import sys
import tempfile

SAMPLE = """
#include <vector>
namespace wnpu {
struct lower_type { int value = 0; };
struct Holder {
  int value() const { return value_; }
  int Value() const { return value_; }
 private:
  int value_ = 0;
};
class Other {
  int other = 0;
  int other_ = 0;
};
enum class kind { a, b };
constexpr int limit_of_depth = 3;
constexpr int kRight = 3;
int six(int a, int b, int c, int d, int e, int f);
int six(int a, int b, int c, int d, int e, int f) { return a + b + c + d + e + f; }
int five(int a, int b, int c, int d, int e) { return a + b + c + d + e; }
int Camel(int Parameter) {
  int Local = Parameter;
  return Local;  // if (it) { were } code
}
// NOLINTNEXTLINE(readability-identifier-naming)
struct as_others_name_it {};
int nested(int n) {
  for (int i = 0; i < n; ++i) {
    if (i > 2) {
      while (n > 5) {
        --n;
      }
    }
  }
  return n;
}
int lists_are_no_blocks(int n) {
  for (int i = 0; i < n; ++i) {
    if (i > 2) {
      if (n > 3) n += std::vector<int>{int{i}, {1}}.size();
    }
  }
  return n;
}
int lambda_in_block(int n) {
  const auto f = [&](int m) {
    for (int i = 0; i < m; ++i) {
      if (i > 2) {
        n += 1;
      }
    }
  };
  f(n);
  return n;
}
int long_one(int n) {
MANY81
}
int long_enough(int n) {
MANY79
}
}
"""
EXPECTED = {"lower_type": "struct", "Value": "function", "other": "member", "kind": "enum",
            "limit_of_depth": "variable", "six": "6 parameters", "Camel": "function", "Parameter": "parameter",
            "Local": "local", "nested": "nested 3 deep", "lambda_in_block": "nested 3 deep", "long_one": "lines"}

source = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "app").mkdir()
    (root / ".clang-tidy").write_text((source / ".clang-tidy").read_text())
    for count in (79, 81):
        SAMPLE = SAMPLE.replace(f"MANY{count}", "\n".join(f"  n += {i};" for i in range(count - 1)) + "\n  return n;")
    (root / "app/sample.cpp").write_text(SAMPLE)
    run = subprocess.run([sys.executable, source / "tests/names_and_sizes.py", root], capture_output=True, text=True)
if run.returncode == 77:
    print(run.stdout)
    sys.exit(77)
found = {line.split(": ")[1]: line for line in run.stdout.splitlines()}
wrong = [f"not found: {name}" for name in EXPECTED if EXPECTED[name] not in found.get(name, "")]
wrong += [f"found: {line}" for name, line in found.items() if name not in EXPECTED]
print("\n".join(wrong) or f"ok: {len(found)} findings, exit code {run.returncode}")
sys.exit(bool(wrong) or run.returncode != 1)
