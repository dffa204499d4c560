import ImageCore
import Platform

/// The colours that cover most of a picture, with their shares.
///
/// Pixels are counted in 32x32x32 cells of sRGB. The cells' means are grouped by k-means in Oklab
/// (B. Ottosson, https://bottosson.github.io/posts/oklab/), which begins with the fullest cell and then with those whose
/// count times squared distance is largest, so that the result is the same each time. Transparent pixels count by alpha.
package enum DominantColours {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "dominant_colours", family: "script",
      summary: "Find the colours that cover most of the picture: a list of colour and share, the largest first",
      parameters: [
        ParameterDescriptor("count", .integer(1...32), default: .integer(5), help: "the most colours")
      ], positional: 1),
    gives: .table("imghost.DominantColour[]"), side: 256
  ) { source, arguments, context throws(PictureError) in
    let colours = colours(in: try SmallPicture(source, context), count: arguments.integer("count"))
    return .list(colours.map { .fields(["colour": .text($0.colour.hexadecimal), "share": .number($0.share)]) })
  }

  /// A group of pixels: their place in Oklab, and how many they are.
  private struct Cell {
    var place: SIMD3<Double>
    var count: Double
  }

  /// Returns the colours in sRGB, whole levels of 0 to 255, with their shares; the largest share first.
  package static func colours(in picture: SmallPicture, count: Int) -> [(colour: Colour, share: Double)] {
    let cells = cells(picture)
    guard !cells.isEmpty else { return [] }
    var centres = first(count, cells)
    for _ in 0..<12 { centres = moved(centres, cells).map(\.place) }
    let groups = moved(centres, cells).filter { $0.count > 0 }
    let total = groups.reduce(Double(0)) { $0 + $1.count }
    return groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map {
      // To a hundredth of a percent: what is smaller depends on rounding.
      (colour($0.element.place), (Double($0.element.count / total) * 10_000).rounded() / 10_000)
    }
  }

  private static func cells(_ picture: SmallPicture) -> [Cell] {
    var sums = [SIMD4<Double>](repeating: .zero, count: 1 << 15)
    for pixel in picture.pixels where pixel.w > 0 {
      let index = (0..<3).reduce(0) { $0 << 5 | min(31, Int(pixel[$1] * 32)) }
      sums[index] += SIMD4(pixel.x, pixel.y, pixel.z, 1) * pixel.w
    }
    return sums.filter { $0.w > 0 }.map { Cell(place: oklab(SIMD3($0.x, $0.y, $0.z) / $0.w), count: $0.w) }
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

  /// Puts each cell into the group of the nearest centre.
  private static func moved(_ centres: [SIMD3<Double>], _ cells: [Cell]) -> [Cell] {
    var groups = centres.map { Cell(place: $0 * 0, count: 0) }
    for cell in cells {
      let nearest = centres.indices.min { distance(cell.place, centres[$0]) < distance(cell.place, centres[$1]) }!
      groups[nearest].place += cell.place * cell.count
      groups[nearest].count += cell.count
    }
    return zip(groups, centres).map { Cell(place: $0.count > 0 ? $0.place / $0.count : $1, count: $0.count) }
  }

  private static func distance(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
    let difference = one - other
    return (difference * difference).sum()
  }

  private static func oklab(_ colour: SIMD3<Double>) -> SIMD3<Double> {
    let light = map(colour) { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    let cones = SIMD3(
      0.4122214708 * light.x + 0.5363325363 * light.y + 0.0514459929 * light.z,
      0.2119034982 * light.x + 0.6806995451 * light.y + 0.1073969566 * light.z,
      0.0883024619 * light.x + 0.2817188376 * light.y + 0.6299787005 * light.z)
    let roots = map(cones) { cbrt($0) }
    return SIMD3(
      0.2104542553 * roots.x + 0.7936177850 * roots.y - 0.0040720468 * roots.z,
      1.9779984951 * roots.x - 2.4285922050 * roots.y + 0.4505937099 * roots.z,
      0.0259040371 * roots.x + 0.7827717662 * roots.y - 0.8086757660 * roots.z)
  }

  private static func colour(_ lab: SIMD3<Double>) -> Colour {
    let roots = SIMD3(
      lab.x + 0.3963377774 * lab.y + 0.2158037573 * lab.z, lab.x - 0.1055613458 * lab.y - 0.0638541728 * lab.z,
      lab.x - 0.0894841775 * lab.y - 1.2914855480 * lab.z)
    let cones = roots * roots * roots
    let light = SIMD3(
      4.0767416621 * cones.x - 3.3077115913 * cones.y + 0.2309699292 * cones.z,
      -1.2684380046 * cones.x + 2.6097574011 * cones.y - 0.3413193965 * cones.z,
      -0.0041960863 * cones.x - 0.7034186147 * cones.y + 1.7076147010 * cones.z)
    let samples = map(light) { $0 <= 0.0031308 ? $0 * 12.92 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
    let levels = map(samples) { (min(max($0, 0), 1) * 255).rounded() / 255 }
    return Colour(red: levels.x, green: levels.y, blue: levels.z)
  }

  private static func map(_ colour: SIMD3<Double>, _ body: (Double) -> Double) -> SIMD3<Double> {
    SIMD3(body(colour.x), body(colour.y), body(colour.z))
  }
}
