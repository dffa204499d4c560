import ImageCore
import Testing

/// List parameters that take a plain number as well.
@Suite struct NumbersParameterTests {
  private func check(_ counts: ClosedRange<Int>, _ value: ParameterValue) throws -> [Double] {
    let parameter = ParameterDescriptor("a", .numbers(counts), help: "")
    let raw = RawArguments(named: [("a", value)])
    return try Arguments(raw, parameters: [parameter], positionalCount: 0).numbers("a")
  }

  @Test func aNumberIsAListOfOne() throws {
    #expect(try check(1...4, .number(1.5)) == [1.5])
    #expect(try check(1...4, .integer(2)) == [2])
    #expect(try check(1...4, .list([.integer(2), .number(0.5)])) == [2, 0.5])
  }

  @Test func listsOfMoreStayLists() {
    for value in [ParameterValue.number(1.5), .integer(2)] {
      #expect(throws: ArgumentErrors.self) { _ = try check(2...4, value) }
    }
  }

  @Test func theSummarySaysSo() {
    #expect(ParameterKind.numbers(1...4).summary == "number or list of 1 to 4 numbers")
    #expect(ParameterKind.numbers(9...9).summary == "list of 9 numbers")
  }
}
