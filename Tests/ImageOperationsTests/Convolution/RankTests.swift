import ImageCore
import ImageOperations
import Testing

/// Medians and extremes against a sort of each square.
@Suite struct RankTests {
  struct Row: Sendable {
    let call: Call
    let radius: Int
    /// The place of the result among the sorted samples, from 0 to 1.
    let rank: Double
  }

  static let rows = [
    Row(call: Call("median"), radius: 1, rank: 0.5),
    Row(call: Call("median", 5), radius: 2, rank: 0.5),
    Row(call: Call("erode"), radius: 1, rank: 0),
    Row(call: Call("erode", 6), radius: 6, rank: 0),
    Row(call: Call("dilate"), radius: 1, rank: 1),
    Row(call: Call("dilate", 11), radius: 11, rank: 1),
  ]

  @Test(arguments: rows)
  func matchesASort(_ row: Row) throws {
    for format in [PixelFormat(.u8, .gray), .graya8, .rgb8, .rgba8, .rgb16, .rgba16] {
      // Wider than a block of samples for some formats.
      for (width, height) in [(1, 1), (263, 3), (5, 17)] {
        let input = Picture.noise(width, height, format)
        let expected = Picture(width, height, format) { x, y, band in
          var samples: [Int] = []
          for down in -row.radius...row.radius {
            for across in -row.radius...row.radius { samples.append(input.clamped(x + across, y + down, band)) }
          }
          samples.sort()
          return samples[Int(row.rank * Double(samples.count - 1))]
        }
        #expect(try row.call.run(input) == expected, "\(row.call), \(format), \(width)x\(height)")
      }
    }
  }

  @Test func medianNeedsAnOddSize() {
    #expect(throws: OperationError.unsuitable("'size' cannot be 4; use 3 or 5")) { try Call("median", 4).make() }
  }
}
