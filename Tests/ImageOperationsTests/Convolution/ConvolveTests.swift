import ImageCore
import ImageOperations
import Testing

@Suite struct ConvolveTests {
  struct Row: Sendable {
    let name: String
    let width: Int
    let kernel: [Double]
    var options: [String: ParameterValue] = [:]
    var divisor = 1.0
    var offset = 0.0
  }

  static let rows = [
    Row(name: "identity", width: 1, kernel: [1]),
    Row(name: "mean", width: 3, kernel: Array(repeating: 1, count: 9), divisor: 9),
    Row(
      name: "laplace", width: 3, kernel: [0, 1, 0, 1, -4, 1, 0, 1, 0], options: ["offset": 128],
      offset: 128),
    Row(
      name: "not turned round", width: 3, kernel: [0, 0, 0, 0, 0, 2, 0, 1, 0], divisor: 3),
    Row(
      name: "even sides", width: 4, kernel: [1, 2, 3, 4, 5, 6, 7, 8],
      options: ["width": 4, "height": 2], divisor: 36),
    Row(
      name: "wider than the picture", width: 101, kernel: Array(repeating: 0.01, count: 101),
      options: ["width": 101], divisor: 1.01),
    Row(name: "scale", width: 1, kernel: [3], options: ["scale": 6], divisor: 6),
  ]

  @Test(arguments: rows)
  func matchesTheDefinition(_ row: Row) throws {
    let numbers = ParameterValue.list(row.kernel.map { .number($0) })
    let call = Call("convolve", numbers, named: row.options)
    let height = row.kernel.count / row.width
    for format in [PixelFormat.rgb8, .rgba8, PixelFormat(.u16, .gray)] {
      let input = Picture.noise(23, 11, format)
      var expected: [Double] = []
      for y in 0..<11 {
        for x in 0..<23 {
          for band in 0..<format.bands {
            guard band < format.model.bandCount else {
              expected.append(Double(input[x, y, band]))
              continue
            }
            var sum = 0.0
            for (index, weight) in row.kernel.enumerated() {
              let across = index % row.width - row.width / 2
              let down = index / row.width - height / 2
              sum += weight * Double(input.clamped(x + across, y + down, band))
            }
            expected.append(sum / row.divisor + row.offset * Double(input.top) / 255)
          }
        }
      }
      let distance = try #require(call.run(input).distance(to: expected))
      #expect(distance <= 0.53, "\(row.name), \(format): \(distance)")
    }
  }

  @Test(
    arguments: [
      ([1, 2], [:], "a kernel of 2 numbers is not square; give its 'width'"),
      ([1, 2, 3], ["width": 2], "a kernel of 3 numbers is not 2 wide and 1 high"),
      ([1], ["scale": 0], "'scale' cannot be 0"),
    ] as [([Int], [String: ParameterValue], String)])
  func mistakes(_ kernel: [Int], _ options: [String: ParameterValue], _ message: String) {
    #expect(throws: OperationError.unsuitable(message)) {
      _ = try Call("convolve", .list(kernel.map { .integer($0) }), named: options).make()
    }
  }
}
