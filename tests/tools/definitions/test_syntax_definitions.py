import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.definitions.languages import load_parser
from maxagent.tools.definitions.syntax_definitions import KINDS, find_syntax_definitions

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
    "C#": (
        """\
using System;
namespace Shop;
[Serializable]
public abstract class Cart<T> : Base, IThing where T : class {
    public int Count { get; set; }
    public Cart(int a) : base(a) { }
    [Obsolete]
    public async Task<int> Go(string a, int b = 2) { return 1; }
    int Twice(int a) => a * 2;
    public delegate void Handler(object o);
    enum Kind { A, B }
}
public interface IThing { void A(); }
public record Point(int X, int Y);
""",
        [
            "2: namespace Shop",
            "4: public abstract class Cart<T> : Base, IThing where T : class",
            "5:   public int Count {…}",
            "6:   public Cart(int a)",
            "8:   public async Task<int> Go(string a, int b = 2)",
            "9:   int Twice(int a)",
            "10:   public delegate void Handler(object o)",
            "11:   enum Kind",
            "13: public interface IThing",
            "13:   void A()",
            "14: public record Point(int X, int Y)",
        ],
    ),
    "Kotlin": (
        """\
package shop

@Serializable
data class Cart<T>(val items: List<T>) : Base(), Thing {
    constructor(a: Int) : this(listOf()) {
    }

    @Deprecated("x")
    override suspend fun go(a: String, b: Int = 2): Int {
        return 1
    }

    fun twice(a: Int) = a * 2

    companion object {
        fun make(): Cart<Int> = TODO()
    }

    enum class Kind { A, B }
}

fun interface Run {
    fun run()
}

object Single
typealias Names = List<String>
fun <T> T.ext(a: (Int) -> Unit): T where T : Any {
    return this
}
""",
        [
            "4: data class Cart<T>(val items: List<T>) : Base(), Thing",
            "5:   constructor(a: Int)",
            "9:   override suspend fun go(a: String, b: Int = 2): Int",
            "13:   fun twice(a: Int)",
            "15:   companion object",
            "16:     fun make(): Cart<Int>",
            "19:   enum class Kind",
            "22: fun interface Run",
            "23:   fun run()",
            "26: object Single",
            "27: typealias Names = List<String>",
            "28: fun <T> T.ext(a: (Int) -> Unit): T where T : Any",
        ],
    ),
    "PHP": (
        """\
<?php
namespace App\\Models;
#[Attribute]
abstract class User extends Model implements A, B {
    use HasName;
    public function __construct(private string $name, int $b = 2) { }
    abstract protected function go(): void;
    public static function make(array $a = []): static { return new static; }
}
interface Shape { public function area(): float; }
trait HasName { function name() { } }
enum Suit: string { case Hearts = 'H'; public function label(): string { return 'x'; } }
function helper(?int $a, string ...$b): ?string { return null; }
$f = function ($x) { return $x; };
if (!function_exists('x')) { function x() {} }
""",
        [
            "2: namespace App\\Models",
            "4: abstract class User extends Model implements A, B",
            "6:   public function __construct(private string $name, int $b = 2)",
            "7:   abstract protected function go(): void",
            "8:   public static function make(array $a = []): static",
            "10: interface Shape",
            "10:   public function area(): float",
            "11: trait HasName",
            "11:   function name()",
            "12: enum Suit: string",
            "12:   public function label(): string",
            "13: function helper(?int $a, string ...$b): ?string",
            "14: $f = function ($x)",
            "15: function x()",
        ],
    ),
    "Ruby": (
        """\
require "json"
module Shop
  class Cart < Base
    LIMIT = 10
    def initialize(items = [], *rest, key: nil, &block)
      @items = items
    end
    def self.build(x) = new(x)
    def empty? = items.empty?
    private def total; 1; end
    class << self
      def create; end
    end
  end
  def self.helper(a); end
end
def top a, b = 1
  a
end
""",
        [
            "2: module Shop",
            "3:   class Cart < Base",
            "5:     def initialize(items = [], *rest, key: nil, &block)",
            "8:     def self.build(x)",
            "9:     def empty?",
            "10:     private def total",
            "11:     class << self",
            "12:       def create",
            "15:   def self.helper(a)",
            "17: def top a, b = 1",
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
    syntax_definitions = find_syntax_definitions(source, language, parser)
    return [
        f"{definition.line}: {'  ' * definition.depth}{definition.signature}"
        for definition in syntax_definitions.definitions
    ]


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
    syntax_definitions = find_syntax_definitions(f"{source}\n) ( ]", language, parser)
    assert not syntax_definitions.is_whole
    assert syntax_definitions.definitions[0].signature == lines[0].partition(": ")[2]


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
