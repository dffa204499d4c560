import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits

/// Finds a place for a cover's title where the picture behind it has little detail.
enum QuietPlace {
  /// Another place is chosen only if the attention under it is below this share of the attention under the default
  /// place.
  private static let gain = 0.8

  /// Returns the index of the place with the least attention; 0 if no place has clearly less than the default.
  ///
  /// - Parameter attention: the attention of each place, the default first.
  static func index(of attention: [Double]) -> Int {
    guard let usual = attention.first else { return 0 }
    let best = attention.indices.min { attention[$0] < attention[$1] }!
    return attention[best] < usual * gain ? best : 0
  }

  /// Returns the share of a picture's attention that an area covers.
  ///
  /// - Parameter cell: the picture's cell on the same page.
  static func attention(of area: PageRectangle, on cell: PageCell, _ map: AttentionMap) -> Double {
    let (whole, seen) = (cell.rectangle, cell.visible)
    guard whole.width > 0, whole.height > 0 else { return 0 }
    let left = max(area.left, seen.left) - whole.left
    let right = min(area.left + area.width, seen.left + seen.width) - whole.left
    let bottom = max(area.bottom, seen.bottom) - whole.bottom
    let top = min(area.bottom + area.height, seen.bottom + seen.height) - whole.bottom
    guard right > left, top > bottom else { return 0 }
    return map.kept(
      in: UnitRectangle(
        left: left / whole.width, top: 1 - top / whole.height, width: (right - left) / whole.width,
        height: (top - bottom) / whole.height))
  }
}

extension BookChecker {
  /// Returns the options. For a cover, adds a place for the title, unless the script states one.
  mutating func placingTitle(_ arguments: Arguments, _ plan: BookPlan, _ candidates: BookCandidates) -> Arguments {
    guard plan.layout.options.kind == .cover, let page = plan.pages?.first,
      let places = try? BookLettering(arguments, margins: plan.margins).titlePlaces(on: plan.layout), !places.isEmpty
    else { return arguments }
    // A lost picture leaves its place empty.
    let shown = page.cells.compactMap { cell in
      candidates.found.first { $0.place == cell.picture }.map { (cell: cell, picture: $0.picture) }
    }
    let maps = checks.traits(shown.map(\.picture)).map { $0?.attention ?? .even }
    let attention = places.map { place in
      zip(shown.map(\.cell), maps).reduce(0) { $0 + QuietPlace.attention(of: place.area, on: $1.0, $1.1) }
    }
    let found = places[QuietPlace.index(of: attention)].position
    return arguments.withDefaults([("front_title_position", .text(found.rawValue))])
  }
}
