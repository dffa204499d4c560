import ImageCore
import Testing

@testable import OneLiners

struct LuaLiteralTests {
  static let texts: [(String, String)] = [
    ("a b", "\"a b\""), ("\"\\", "\"\\\"\\\\\""), ("a\nb\t", "\"a\\nb\\t\""), ("\u{1}2", "\"\\0012\""), ("é", "\"é\""),
    ("caf\u{10ffe9}1", "\"caf\\2331\""),
  ]

  @Test(arguments: texts)
  func quotes(_ text: String, _ code: String) { #expect(LuaLiteral.text(text).code == code) }

  static let numbers: [(String, String?)] = [
    ("5", "5"), ("-15", "-15"), ("+5", "5"), ("0.40", "0.40"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5.0"),
    ("1e3", "1000.0"),
    ("0x10", nil), ("inf", nil), ("nan", nil), ("", nil), ("5px", nil), ("0,4", nil),
    ("99999999999999999999", "99999999999999999999"),
  ]

  @Test(arguments: numbers)
  func number(_ text: String, _ code: String?) { #expect(LuaLiteral.number(text)?.code == code) }

  @Test func tables() {
    let table = LuaLiteral.table([
      ("a", .word("1")), ("end", .list([.text("x"), .picture(path: "p.png")])), ("b c", .list([])),
    ])
    #expect(table.code == "{ a = 1, [\"end\"] = { \"x\", img.open(\"p.png\") }, [\"b c\"] = {} }")
  }

  struct Value: CustomTestStringConvertible, Sendable {
    let kind: ParameterKind
    let text: String
    /// The code, or the message.
    let result: String
    var testDescription: String { "\(text) as \(kind)" }
    init(_ kind: ParameterKind, _ text: String, _ result: String) {
      (self.kind, self.text, self.result) = (kind, text, result)
    }
  }

  static let values: [Value] = [
    Value(.number(0...20), "0.4", "0.4"),
    Value(.number(0...20), "40", "40"),
    Value(.number(0...20), "abc", "'n' is 'abc'; it takes a number from 0 to 20"),
    Value(.integer(1...9), "2.5", "2.5"),
    Value(.boolean, "true", "true"),
    Value(.boolean, "yes", "'n' is 'yes'; it takes true or false"),
    Value(.colour, "#ff0000", "\"#ff0000\""),
    Value(.colour, "255,0,0", "{ 255, 0, 0 }"),
    Value(.colour, "{255,0,0}", "{ 255, 0, 0 }"),
    Value(.numbers(1...4), "3", "3"),
    Value(.numbers(4...4), "1,0.2,0,1", "{ 1, 0.2, 0, 1 }"),
    Value(.numbers(4...9), "{{1,2},{3,4}}", "{ { 1, 2 }, { 3, 4 } }"),
    Value(.numbers(4...9), "1,x", "'n' is '1,x'; it takes a list of 4 to 9 numbers"),
    Value(.numberOrShare(0...9), "5%", "\"5%\""),
    Value(.byteCount, "80k", "\"80k\""),
    Value(.byteCount, "81920", "81920"),
    Value(.lengths(1...4), "10mm 5mm", "\"10mm 5mm\""),
    Value(.lengths(1...4), "10", "10"),
    Value(.textList, "{Ann,Bob}", "{ \"Ann\", \"Bob\" }"),
    Value(.textList, "{1,2}", "{ \"1\", \"2\" }"),
    Value(.fields, "{a=1,b=x}", "{ a = 1, b = \"x\" }"),
    Value(.choiceOrList(["none"], named: "keep", of: ["date"]), "{keep={date}}", "{ keep = { \"date\" } }"),
    Value(.picture, "a,b.png", "img.open(\"a,b.png\")"),
    Value(.jobs, "a", "'n' is 'a'; it takes jobs, which only a script has"),
  ]

  @Test(arguments: values)
  func value(_ row: Value) throws {
    let parameter = ParameterDescriptor("n", row.kind, help: "")
    let word = row.kind.takesBraces ? try ArgumentItem.value(row.text) : .plain(row.text)
    do throws(ArgumentError) {
      #expect(try ArgumentReader.literal(word, "n", parameter).code == row.result)
    } catch {
      #expect(error.description == row.result)
    }
  }

  /// Values of parameters that nothing is known about.
  static let free: [(String, String)] = [
    ("0.3", "0.3"), ("true", "true"), ("0.5,0.5", "{ 0.5, 0.5 }"), ("a,b", "\"a,b\""), ("{1,a}", "{ 1, \"a\" }"),
    ("{a={1,2}}", "{ a = { 1, 2 } }"),
  ]

  @Test(arguments: free)
  func freeValue(_ text: String, _ code: String) throws {
    #expect(try ArgumentReader.literal(ArgumentItem.value(text), "n", nil).code == code)
  }

  @Test func quotedNumberIsText() throws {
    #expect(try ArgumentReader.literal(.quoted("5"), "n", nil).code == "\"5\"")
  }
}
