import ImageCore

/// Finds the colours that cover most of a picture, with their shares.
///
/// Pixels are counted in 32x32x32 cells of sRGB, weighted by alpha. The mean colours of the cells are clustered by
/// k-means in `Oklab`. The initial centres are not random, which makes the result reproducible: the first is the
/// fullest cell, and each further one is the cell with the greatest product of its count and its squared distance from
/// the nearest earlier centre.
package enum DominantColours {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "dominant_colours", family: "script",
      summary: "Find the colours that cover most of the picture: a list of colour and share, the largest first",
      parameters: [
        ParameterDescriptor("count", .integer(1...32), default: .integer(5), help: "the most colours")
      ], positional: 1),
    gives: .table("imghost.DominantColour[]"), side: 256
  ) { source, arguments, _, context throws(PictureError) in
    let colours = colours(in: try SmallPicture(source, context), count: arguments.integer("count"))
    return .list(colours.map { .fields(["colour": .text($0.colour.hexadecimal), "share": .number($0.share)]) })
  }

  /// A group of pixels: its mean colour in Oklab, and the number of its pixels, weighted by alpha.
  private struct Cell {
    var place: SIMD3<Double>
    var count: Double
  }

  /// Returns the colours in sRGB, as whole levels of 0 to 255, with their shares. The largest share comes first.
  package static func colours(in picture: SmallPicture, count: Int) -> [(colour: Colour, share: Double)] {
    let cells = cells(picture)
    guard !cells.isEmpty else { return [] }
    var centres = first(count, cells)
    for _ in 0..<12 { centres = moved(centres, cells).map(\.place) }
    let groups = moved(centres, cells).filter { $0.count > 0 }
    let total = groups.reduce(Double(0)) { $0 + $1.count }
    return groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map {
      // Shares are rounded to a hundredth of a percent, because smaller differences depend on rounding.
      (Oklab.colour(at: $0.element.place), (Double($0.element.count / total) * 10_000).rounded() / 10_000)
    }
  }

  private static func cells(_ picture: SmallPicture) -> [Cell] {
    // For each cell, this is its number in `sums`, counted from 1; 0 for an empty cell. Clearing these numbers is
    // faster than clearing sums for all cells.
    var numbers = [Int32](repeating: 0, count: 1 << 15)
    var sums: [(index: Int, sum: SIMD4<Double>)] = []
    for pixel in picture.pixels where pixel.w > 0 {
      let index = min(31, Int(pixel.x * 32)) << 10 | min(31, Int(pixel.y * 32)) << 5 | min(31, Int(pixel.z * 32))
      if numbers[index] == 0 {
        sums.append((index, .zero))
        numbers[index] = Int32(sums.count)
      }
      sums[Int(numbers[index]) - 1].sum += SIMD4(pixel.x, pixel.y, pixel.z, 1) * pixel.w
    }
    sums.sort { $0.index < $1.index }
    return sums.map { Cell(place: Oklab.place(of: SIMD3($1.x, $1.y, $1.z) / $1.w), count: $1.w) }
  }

  private static func first(_ count: Int, _ cells: [Cell]) -> [SIMD3<Double>] {
    var centres = [cells.max { $0.count < $1.count }!.place]
    var distances = cells.map { distance($0.place, centres[0]) }
    while centres.count < count {
      let next = cells.indices.max { cells[$0].count * distances[$0] < cells[$1].count * distances[$1] }!
      guard distances[next] > 0 else { break }
      centres.append(cells[next].place)
      for index in cells.indices {
        distances[index] = min(distances[index], distance(cells[index].place, cells[next].place))
      }
    }
    return centres
  }

  /// Assigns each cell to the nearest centre, and returns the new centres with the numbers of their pixels.
  private static func moved(_ centres: [SIMD3<Double>], _ cells: [Cell]) -> [Cell] {
    var groups = centres.map { Cell(place: $0 * 0, count: 0) }
    for cell in cells {
      var (nearest, least) = (0, Double.infinity)
      for (index, centre) in centres.enumerated() {
        let distance = distance(cell.place, centre)
        if distance < least { (nearest, least) = (index, distance) }
      }
      groups[nearest].place += cell.place * cell.count
      groups[nearest].count += cell.count
    }
    return zip(groups, centres).map { Cell(place: $0.count > 0 ? $0.place / $0.count : $1, count: $0.count) }
  }

  private static func distance(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
    let difference = one - other
    return (difference * difference).sum()
  }
}
