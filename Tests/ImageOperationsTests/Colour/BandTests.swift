import ImageCore
import ImageOperations
import Testing

/// Operations whose curves or sums differ from band to band.
@Suite struct BandTests {
  /// Slopes by hand: 0 at the first point, as the parabola there falls, 3 / (1.5 / 0.5 + 1.5 / 1.5) = 0.75 at the
  /// second, 2 at the last.
  @Test func curvesFollowTheFormula() throws {
    let call = Call("curves", [[0, 0], [127.5, 63.75], [255, 255]])
    #expect(try call.run(Picture(5, 1, .gray8, [0, 51, 128, 204, 255])).samples == [0, 13, 64, 160, 255])
    let deep = Picture(4, 1, PixelFormat(.u16, .gray), [0, 13_107, 52_428, 65_535])
    #expect(try call.run(deep).samples == [0, 3408, 41_156, 65_535])
  }

  @Test func curvesDoNotOvershoot() throws {
    let all = Picture(256, 1, .gray8) { x, _, _ in x }
    // A step: a spline without limits would swing below and above.
    let step = try Call("curves", [[0, 10], [120, 10], [130, 240], [255, 240]]).run(all).samples
    #expect(step.min() == 10 && step.max() == 240)
    #expect(zip(step, step.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(step[120] == 10 && step[125] == 125 && step[130] == 240)
  }

  @Test func curvesOfABandComeBeforeTheCommonOne() throws {
    let input = Picture(1, 1, .rgba8, [50, 50, 50, 50])
    let inverse: ParameterValue = [[0, 255], [255, 0]]
    let half: ParameterValue = [[0, 0], [255, 51]]
    #expect(try Call("curves", named: ["green": inverse]).run(input).samples == [50, 205, 50, 50])
    #expect(try Call("curves", half, named: ["red": inverse]).run(input).samples == [41, 10, 10, 50])
  }

  @Test func levelsByBand() throws {
    let input = Picture(1, 1, .rgba8, [51, 102, 153, 40])
    let call = Call("levels", [0, 51, 102], [255, 153, 204], 1)
    #expect(try call.run(input).samples == [51, 128, 128, 40])
  }

  @Test(arguments: PixelFormat.all) func recombMatchesTheDefinition(_ format: PixelFormat) throws {
    let input = Picture.noise(33, 21, format)
    let rows = [[0.39, 0.77, 0.19], [1.5, -0.25, -0.25], [0, 0.5, 0.5]]
    let matrix = ParameterValue.list(rows.map { .list($0.map { .number($0) }) })
    let result = try Call("recomb", matrix).run(input)
    #expect(result.layout.format == format.with(model: .rgb))
    let expected = input.mapColours { colour in rows.map { zip($0, colour).map(*).reduce(0, +) } }
    #expect(try #require(result.distance(to: expected)) <= 0.51)
  }

  struct Mistake: CustomStringConvertible, Sendable {
    let call: Call
    let text: String
    var format = PixelFormat.rgb8
    var description: String { call.description }
  }

  @Test(arguments: [
    Mistake(call: Call("levels", 200, 100), text: "'white' must be above 'black'"),
    Mistake(call: Call("levels", [0, 0, 90], [255, 255, 80]), text: "'white' must be above 'black'"),
    Mistake(call: Call("levels", -1), text: "'black' must be from 0 to 255"),
    Mistake(call: Call("levels", 0, 255, 0), text: "'gamma' must be from 0.01 to 100"),
    Mistake(call: Call("levels", [0, 1]), text: "'black' has 2 numbers; a rgb8 picture takes 1 or 3"),
    Mistake(
      call: Call("levels", [0, 1, 2]), text: "'black' has 3 numbers; a gray8 picture takes 1", format: .gray8),
    Mistake(call: Call("curves"), text: "give it 'points', or points of a band such as 'red'"),
    Mistake(call: Call("curves", [0, 0, 9, 9, 4]), text: "'points' has 5 numbers; a point is two"),
    Mistake(call: Call("curves", [0, 0, 9, 256]), text: "'points' must have numbers from 0 to 255"),
    Mistake(
      call: Call("curves", named: ["red": [9, 0, 9, 5]]),
      text: "the points of 'red' must be in the order of rising samples, each once"),
    Mistake(
      call: Call("curves", named: ["blue": [0, 0, 9, 5]]),
      text: "a gray picture has no blue band; give it 'points'", format: .gray8),
  ])
  func mistakes(_ mistake: Mistake) {
    let error = #expect(throws: OperationError.self) { try mistake.call.run(.noise(2, 2, mistake.format)) }
    #expect(error?.description == mistake.text)
  }
}
