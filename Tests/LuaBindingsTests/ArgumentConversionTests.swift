import ImageCore
import LuaRuntime
import Testing

@testable import ImagePipeline
@testable import LuaBindings

/// Calls of scripts as raw arguments.
struct ArgumentConversionTests {
  struct Call: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [LuaValue]
    let expected: RawArguments
    var parameters: [ParameterDescriptor] = []
    var groups: [String] = []

    init(
      _ name: String, _ arguments: [LuaValue], _ positional: [ParameterValue] = [],
      named: [(name: String, value: ParameterValue)] = [],
      for parameters: [ParameterDescriptor] = [], groups: [String] = []
    ) {
      testDescription = name
      self.arguments = arguments
      expected = RawArguments(positional: positional, named: named)
      self.parameters = parameters
      self.groups = groups
    }
  }

  private static let picture = LuaValue.object(LuaObject(type: "picture", handle: 0))
  private static let job = LuaValue.object(LuaObject(type: "job", handle: 7))
  private static let width = [ParameterDescriptor("width", .integer(1...9), help: "")]
  private static let kernel = [ParameterDescriptor("kernel", .numbers(1...9), help: "")]

  private static func table(_ array: [LuaValue] = [], _ fields: [(String, LuaValue)] = []) -> LuaValue {
    .table(LuaTable(array: array, fields: fields))
  }

  static let calls: [Call] = [
    Call("f()", []),
    Call("f(400, 300)", [.integer(400), .integer(300)], [.integer(400), .integer(300)]),
    Call("f(1, nil)", [.integer(1), .none], [.integer(1)]),
    Call("f(nil, 1)", [.none, .integer(1)], [.absent, .integer(1)]),
    Call(
      "f(true, 0.5, 'a')", [.boolean(true), .number(0.5), .string("a")],
      [.boolean(true), .number(0.5), .text("a")]),
    Call("f{}", [table()]),
    Call(
      "f{ width = 400 }", [table([], [("width", .integer(400))])],
      named: [("width", .integer(400))]),
    Call(
      "f{ 400, 300, fit = 'cover' }",
      [table([.integer(400), .integer(300)], [("fit", .string("cover"))])],
      [.integer(400), .integer(300)], named: [("fit", .text("cover"))]),
    Call(
      "f(400, { fit = 'cover' })", [.integer(400), table([], [("fit", .string("cover"))])],
      [.integer(400)], named: [("fit", .text("cover"))]),
    Call(
      "f{ 4, 3 } for numbers", [table([.integer(4), .integer(3)])],
      [.integer(4), .integer(3)], for: width),
    Call(
      "f{ 1, 2 } for a list", [table([.integer(1), .integer(2)])],
      [.list([.integer(1), .integer(2)])], for: kernel),
    Call(
      "f(5, { 1, 2 })", [.integer(5), table([.integer(1), .integer(2)])],
      [.integer(5), .list([.integer(1), .integer(2)])], for: width),
    Call(
      "f{ { 1, 2 }, x = 1 }", [table([table([.integer(1), .integer(2)])], [("x", .integer(1))])],
      [.list([.integer(1), .integer(2)])], named: [("x", .integer(1))]),
    Call("f(picture)", [picture], [.picture(1)]),
    Call("f{ over = picture }", [table([], [("over", picture)])], named: [("over", .picture(1))]),
    Call("f(picture, picture)", [picture, picture], [.picture(1), .picture(2)]),
    Call("f{ after = job }", [table([], [("after", job)])], named: [("after", .jobs([7]))]),
    Call(
      "f{ after = { job, job } }", [table([], [("after", table([job, job]))])],
      named: [("after", .jobs([7, 7]))]),
    Call(
      "f{ after = group }", [table([], [("after", table([], [("jobs", table([job]))]))])],
      named: [("after", .jobs([7]))]),
    Call(
      "f{ info = { a = 1 } }", [table([], [("info", table([], [("a", .integer(1))]))])],
      named: [("info", .fields(["a": .integer(1)]))]),
    Call(
      "f{ x = { 1, a = 1 } }",
      [table([], [("x", table([.integer(1)], [("a", .integer(1))]))])],
      named: [("x", .other("a table with names"))]),
    Call("f(function)", [.unrepresentable("thread")], [.other("a thread")]),
    Call("f('\\xff')", [.notUTF8("\u{10ffff}")], [.other("a string that is not UTF-8")]),
    Call("f(stand-in)", [.object(LuaObject(type: "thing", handle: 0))], [.other("a thing")]),
    Call(
      "f{ caption = { text = 'a', size = 9 } }",
      [table([], [("caption", table([], [("size", .integer(9)), ("text", .string("a"))]))])],
      named: [("caption_size", .integer(9)), ("caption", .text("a"))], groups: ["caption"]),
    Call(
      "f{ caption = { 'a' } }", [table([], [("caption", table([.string("a")]))])],
      named: [("caption", .list([.text("a")]))], groups: ["caption"]),
  ]

  @Test(arguments: calls)
  func raw(_ call: Call) {
    var conversion = ArgumentConversion(pictures: [Picture(.invalid, position: nil)])
    let raw = conversion.raw(call.arguments, for: call.parameters, groups: call.groups)
    #expect(raw == call.expected)
    #expect(conversion.found.count == call.arguments.description.components(of: "\"picture\""))
  }

  static let jobs: [(LuaValue, [Int]?)] = [
    (job, [7]), (table([job, job]), [7, 7]), (table([], [("jobs", table([job]))]), [7]),
    (table([table([job]), job]), [7, 7]), (table(), []), (.none, nil), (.integer(1), nil),
    (table([job, .integer(1)]), nil), (table([], [("other", job)]), nil), (picture, nil),
  ]

  @Test(arguments: jobs)
  func jobsOfAValue(_ value: LuaValue, _ expected: [Int]?) {
    #expect(ArgumentConversion.jobs(value) == expected)
  }

  static let kinds: [(LuaValue, String)] = [
    (.none, "nil"), (.boolean(true), "a boolean"), (.integer(1), "a number"),
    (.number(0.5), "a number"), (.string(""), "a string"),
    (.notUTF8(""), "a string that is not UTF-8"), (table(), "a table"), (picture, "picture"),
    (job, "job"), (.unrepresentable("thread"), "a thread"),
  ]

  @Test(arguments: kinds)
  func kindNames(_ value: LuaValue, _ name: String) { #expect(value.kindName == name) }

  static let values: [(ParameterValue, LuaValue)] = [
    (.boolean(false), .boolean(false)), (.integer(-3), .integer(-3)),
    (.number(0.25), .number(0.25)),
    (.text("ü"), .string("ü")),
    (.list([.integer(1), .text("a")]), table([.integer(1), .string("a")])),
    (.list([]), table()),
  ]

  @Test(arguments: values)
  func valuesForLua(_ value: ParameterValue, _ expected: LuaValue) { #expect(LuaValue(value) == expected) }

  static let metadata: [(MetadataValue, LuaValue)] = [
    (.text("a"), .string("a")), (.integer(6), .integer(6)), (.number(1.5), .number(1.5)),
    (.numbers([1, 2]), table([.number(1), .number(2)])),
  ]

  @Test(arguments: metadata)
  func metadataForLua(_ value: MetadataValue, _ expected: LuaValue) { #expect(LuaValue(value) == expected) }
}

extension String {
  /// The number of places where a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
