import Testing

@testable import ImageCore

/// Words of a command line as values of parameters.
struct ParameterWordTests {
  static let values: [(ParameterKind, String, ParameterValue)] = [
    (.integer(1...900), "200", .integer(200)),
    (.integer(1...900), "2e2", .integer(200)),
    (.integer(.min ... .max), "-7", .integer(-7)),
    (.number(0...1), "1", .number(1)),
    (.number(-1...1), "-0.5", .number(-0.5)),
    (.boolean, "true", .boolean(true)),
    (.boolean, "false", .boolean(false)),
    (.booleanOrInteger(1...9), "false", .boolean(false)),
    (.booleanOrInteger(1...9), "4", .integer(4)),
    (.choice(["a4", "a5"]), "a5", .text("a5")),
    (.text, "5", .text("5")),
    (.text, "", .text("")),
    (.text, "a=b", .text("a=b")),
    (.colour, "red", .colour(Colour(red: 1, green: 0, blue: 0))),
    (.colour, "#0000ff", .colour(Colour(red: 0, green: 0, blue: 1))),
    (.numbers(2...2), "0.5,1", .list([.number(0.5), .integer(1)])),
    (.numberOrShare(1...9), "5%", .text("5%")),
    (.numberOrShare(1...9), "5", .number(5)),
    (.byteCount, "80k", .integer(80_000)),
    (.byteCount, "80", .integer(80)),
    (.lengths(1...1), "5mm", .text("5mm")),
    (.lengths(1...1), "10", .text("10pt")),
    (.textList, "a", .list([.text("a")])),
  ]

  @Test(arguments: values)
  func value(_ kind: ParameterKind, _ word: String, _ value: ParameterValue) throws {
    #expect(try ParameterDescriptor("p", kind, help: "").value(ofWord: word) == value)
  }

  static let mistakes: [(ParameterKind, String, String)] = [
    (.integer(10...900), "5", "'p' is 5; it takes a whole number from 10 to 900"),
    (.integer(10...900), "wide", "'p' takes a whole number from 10 to 900, not 'wide'"),
    (.integer(10...900), "", "'p' takes a whole number from 10 to 900, not ''"),
    (.integer(10...900), "20.5", "'p' takes a whole number from 10 to 900, not '20.5'"),
    (.integer(10...900), "1e99", "'p' takes a whole number from 10 to 900, not '1e99'"),
    (.integer(.min ... .max), "x", "'p' takes a whole number, not 'x'"),
    (.integer(1 ... .max), "0", "'p' is 0; it takes a whole number of at least 1"),
    (.number(0...1), "nan", "'p' takes a number from 0 to 1, not 'nan'"),
    (.number(0...1), "0x1", "'p' takes a number from 0 to 1, not '0x1'"),
    (.number(-.infinity...1), "2", "'p' is 2; it takes a number of at most 1"),
    (.boolean, "yes", "'p' takes true or false, not 'yes'"),
    (.choice(["a4", "a5"]), "a44", "'p' cannot be 'a44' (did you mean 'a4'?); valid: a4, a5"),
    (.numbers(2...2), "0.5", "'p' takes a list of 2 numbers, not 1"),
    (.numbers(2...2), "a,b", "'p' takes a list of 2 numbers, not 'a,b'"),
    (.picture, "a.jpg", "'p' takes a picture, not 'a.jpg'"),
  ]

  @Test(arguments: mistakes)
  func mistake(_ kind: ParameterKind, _ word: String, _ message: String) {
    do throws(ArgumentError) {
      let value = try ParameterDescriptor("p", kind, help: "").value(ofWord: word)
      Issue.record("'\(word)' is accepted as \(value.text)")
    } catch {
      #expect(error.description == message)
    }
  }
}
