import ImageCore

/// Measures the sharpness of a picture: how steep its edges are relative to their height.
///
/// In each block of 16 x 16 pixels, the largest step between neighbours is divided by the range of the block's values.
/// At any contrast, a sharp edge rises within one or two pixels and a blurred edge within many, so the width of edges
/// indicates blur (P. Marziliano et al., "A no-reference perceptual blur metric", 2002). Blocks with a small range,
/// which contain noise and blurred backgrounds, are ignored. The sharpest tenth of the other blocks determines the
/// result, so a portrait in front of a blurred background is sharp.
enum Sharpness {
  private static let block = 16
  /// The minimum range of a block that is used: on a scale of 0 to 255, and as a share of the range of the picture's
  /// strongest blocks.
  private static let (leastRange, leastShare) = (12, 0.3)
  /// The ratios that score 0 and 1. In the small version, a Gaussian blur with a sigma of 1 pixel results in a ratio of
  /// about 0.4, and a sigma of 2 pixels in 0.2.
  private static let (blurred, sharp) = (0.15, 0.75)

  /// Returns the sharpness from 0 to 1; 0 for a picture without edges.
  static func measure(_ plane: LumaPlane) -> Double {
    let blocks = blocks(of: plane)
    guard !blocks.isEmpty else { return 0 }
    let ranges = blocks.map(\.range).sorted()
    let strongest = Double(ranges[ranges.count * 19 / 20])
    let least = max(leastRange, Int(leastShare * strongest))
    let ratios = blocks.filter { $0.range >= least }.map { Double($0.step) / Double($0.range) }.sorted()
    guard !ratios.isEmpty else { return 0 }
    return min(max((ratios[ratios.count * 9 / 10] - blurred) / (sharp - blurred), 0), 1)
  }

  /// Returns the range and the largest step of each whole block. If a side of the picture is shorter than a block,
  /// blocks are as short.
  private static func blocks(of plane: LumaPlane) -> [(range: Int, step: Int)] {
    let (across, down) = (min(block, plane.width), min(block, plane.height))
    return plane.values.withUnsafeBufferPointer { values in
      var blocks: [(range: Int, step: Int)] = []
      for top in stride(from: 0, through: plane.height - down, by: down) {
        for left in stride(from: 0, through: plane.width - across, by: across) {
          var (low, high, step) = (Int16(255), Int16(0), Int16(0))
          for y in top..<top + down {
            let line = values.baseAddress! + y * plane.width
            let next = y + 1 < plane.height ? plane.width : 0
            for x in left..<left + across {
              let value = Int16(line[x])
              low = min(low, value)
              high = max(high, value)
              let right = Int16(line[x + 1 < plane.width ? x + 1 : x])
              step = max(step, max(abs(right &- value), abs(Int16(line[x + next]) &- value)))
            }
          }
          blocks.append((Int(high - low), Int(min(step, high - low))))
        }
      }
      return blocks
    }
  }
}
