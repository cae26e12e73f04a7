import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.definitions.grammars import load_parser
from maxagent.tools.definitions.syntax_definitions import find_syntax_definitions
from maxagent.tools.definitions.syntax_kinds import KINDS

CASES = {
    "JavaScript": (
        """\
import x from 'y';
export default class Foo extends Bar {
  static #a = 1;
  constructor(a, b = {}) { super(); }
  async *gen() { function inner() {} }
  handler = (e) => { go() };
}
export const f = async (a) => a + 1;
module.exports.go = function (x) {};
exports.y = 1;
function* w() {}
""",
        [
            "2: export default class Foo extends Bar",
            "4:   constructor(a, b = {…})",
            "5:   async *gen()",
            "6:   handler = (e) =>",
            "8: export const f = async (a) =>",
            "9: module.exports.go = function (x)",
            "11: function* w()",
        ],
    ),
    "TypeScript": (
        """\
@Component({a: 1})
export abstract class A<T> implements B {
  @Input() name: string;
  private go(x: number): Promise<void> { }
  abstract m(a: number): void;
}
interface I { a(x: number): string; b: number }
export type T = { a: 1 } | string;
declare function d(a: string): void;
namespace N { export enum E { A } }
""",
        [
            "2: export abstract class A<T> implements B",
            "4:   private go(x: number): Promise<void>",
            "5:   abstract m(a: number): void",
            "7: interface I",
            "7:   a(x: number): string",
            "8: export type T = {…} | string",
            "9: declare function d(a: string): void",
            "10: namespace N",
            "10:   export enum E",
        ],
    ),
    "TSX": (
        "export const App = ({a}: P) => <div>{a}</div>;\nfunction B() { return <p/> }\n",
        ["1: export const App = ({…}: P) =>", "2: function B()"],
    ),
    "Go": (
        """\
package x
type Foo struct { A int }
type (
  Bar interface { Do(a int) error; io.Reader }
  Baz = map[string]int
)
func (f *Foo) Do(a int, b ...string) (int, error) { return 0, nil }
func Gen[T any](x T) T { return x }
""",
        [
            "2: type Foo struct {…}",
            "4: Bar interface {…}",
            "4:   Do(a int) error",
            "5: Baz = map[string]int",
            "7: func (f *Foo) Do(a int, b ...string) (int, error)",
            "8: func Gen[T any](x T) T",
        ],
    ),
    "Rust": (
        """\
#[derive(Debug)]
pub struct P<T> where T: X { a: T }
struct Q(i32, u8);
impl<T> Shape for P<T> { #[inline] pub async fn area(&self) -> f64 { 1.0 } }
pub trait Shape { fn area(&self) -> f64; }
mod inner { pub fn a() {} }
macro_rules! m { ($x:expr) => { $x } }
""",
        [
            "2: pub struct P<T> where T: X",
            "3: struct Q(i32, u8)",
            "4: impl<T> Shape for P<T>",
            "4:   pub async fn area(&self) -> f64",
            "5: pub trait Shape",
            "5:   fn area(&self) -> f64",
            "6: mod inner",
            "6:   pub fn a()",
            "7: macro_rules! m {…}",
        ],
    ),
    "Java": (
        """\
package a;
@Service
public class A<T> extends B {
  private int x = 1;
  @Override
  public <R> List<R> go(String a) throws E { return null; }
  A(int a) {}
  enum K { X, Y; int z() { return 1; } }
}
record R(int a) { int c() { return 1; } }
interface I { void a(); }
""",
        [
            "3: public class A<T> extends B",
            "6:   public <R> List<R> go(String a) throws E",
            "7:   A(int a)",
            "8:   enum K",
            "8:     int z()",
            "10: record R(int a)",
            "10:   int c()",
            "11: interface I",
            "11:   void a()",
        ],
    ),
    "C": (
        """\
#ifndef A_H
struct point { int x; };
typedef struct { int a; struct { int b; } c; } thing_t;
struct forward;
int add(int a, int b);
static char *name(void) { return 0; }
int (*pointer)(int);
int z = f(1);
#endif
""",
        [
            "2: struct point",
            "3: typedef struct {…} thing_t",
            "5: int add(int a, int b)",
            "6: static char *name(void)",
        ],
    ),
    "C++": (
        """\
namespace a::b {
template <typename T>
class Foo : public Bar<T> {
 public:
  Foo(int x) : a(x), b{1} {}
  virtual int go(const std::string& s) const = 0;
  T* ptr() { return nullptr; }
  int field;
};
}
int Foo<int>::go(int x) const { return 1; }
using X = int;
class Forward;
""",
        [
            "1: namespace a::b",
            "2:   template <typename T> class Foo : public Bar<T>",
            "5:     Foo(int x)",
            "6:     virtual int go(const std::string& s) const = 0",
            "7:     T* ptr()",
            "11: int Foo<int>::go(int x) const",
            "12: using X = int",
        ],
    ),
}


def outline(source: str, language: str) -> list[str]:
    parser = load_parser(language)
    assert parser is not None
    found = find_syntax_definitions(source, language, parser)
    return [f"{one.line}: {'  ' * one.depth}{one.signature}" for one in found.definitions]


@pytest.mark.parametrize("language", CASES)
def test_definitions_have_lines_and_signatures(language: str) -> None:
    source, lines = CASES[language]
    assert outline(source, language) == lines


def test_every_language_has_a_case_and_a_grammar() -> None:
    assert {*CASES} == {*KINDS}
    assert all(load_parser(language) for language in KINDS)


@pytest.mark.parametrize("language", CASES)
def test_a_broken_file_gives_what_parses(language: str) -> None:
    source, lines = CASES[language]
    parser = load_parser(language)
    assert parser is not None
    found = find_syntax_definitions(f"{source}\n) ( ]", language, parser)
    assert not found.is_whole
    assert found.definitions[0].signature == lines[0].partition(": ")[2]


@given(st.sampled_from([*CASES]), st.text(st.sampled_from("{}()<\"'`#/\n😀\0 x:"), max_size=30))
def test_any_text_can_be_read(language: str, noise: str) -> None:
    source = CASES[language][0]
    outline(source[: len(source) // 2] + noise + source[len(source) // 2 :], language)


@pytest.mark.parametrize(
    ("language", "source"),
    [("C++", "namespace a{" * 20_000), ("Java", "class A{" * 500 + "}" * 500)],
)
def test_deep_nesting_ends_without_an_error(language: str, source: str) -> None:
    outline(source, language)
