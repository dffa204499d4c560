import Platform

/// The cost that a design minimises: the sum of these terms over all pages. `Docs/Books.md` explains it.
///
/// A flaw that a reader would clearly notice costs about 1.
enum DesignCost {
  /// The cost of cutting off all attention of a picture; a part costs its share.
  static let attention = 8.0
  /// The least share of a picture's attention that a crop must keep.
  static let leastKept = 0.9
  /// The cost for each factor of e between a picture's aspect ratio and the nearest one that its slot accepts.
  static let shape = 2.0
  /// The cost of a picture at twice or half its ideal area. It grows with the square of the area's binary logarithm.
  static let size = 0.35
  /// The binary logarithm of the ideal area's growth factor for each standard deviation of the score.
  static let areaForScore = 0.8
  /// The pixels per inch below which print looks soft; the cost of any lower resolution; and the additional cost of
  /// each halving.
  static let leastResolution = 200.0
  static let soft = 3.0
  static let softer = 4.0
  /// The factor for `soft` and `softer` in templates that cover the whole page.
  static let softAtEdges = 2.0
  /// The cost of a low-resolution picture that is reduced within its slot.
  static let smallInSlot = 0.5
  /// The cost of a block of pictures that leaves its whole area blank; a part costs its share. `emptiness` is the
  /// weight of the square of the blank share beyond a half.
  static let blank = 2.0
  static let emptiness = 8.0
  /// The cost of a fold through a strip with twice the average attention of its picture. It is proportional to the
  /// excess over the average. `foldStrip` is the width of the strip as a share of the picture's width.
  static let fold = 0.5
  static let foldStrip = 0.125
  /// The cost of each pair of pictures whose places contradict their order.
  static let disorder = 0.15
  /// The cost of a hero in a template that is not made for one.
  static let plainHero = 1.5
  /// The cost of using a template twice in a row: more than all other costs together, except `blankPage`.
  static let repetition = 60.0
  /// The cost of a page with as many pictures as the previous one.
  static let sameCount = 0.2
  /// The cost of two consecutive dense pages. A dense page has at least `denseCount` pictures.
  static let dense = 0.5
  static let denseCount = 4
  /// The cost of two consecutive pages that are covered to their edges, unless they face each other.
  static let fullAfterFull = 0.35
  /// The cost of facing pages whose pictures begin or end at different heights. The full cost applies from a difference
  /// of `unevenShare`, as a share of the page.
  static let unevenFacing = 0.3
  static let unevenShare = 0.1
  /// The cost of a blank page before a fixed spread that would begin on the wrong side: more than all other costs of a
  /// page together, even `repetition`.
  static let blankPage = 100.0
  /// The cost of a single picture on the last page of a section.
  static let orphan = 3.0

  /// Returns the cost of a picture's resolution in pixels per inch.
  static func resolution(_ dpi: Double) -> Double {
    dpi >= leastResolution ? 0 : soft + softer * min(4, log2(leastResolution / dpi))
  }

  /// Returns the cost of leaving a share of a block of pictures blank.
  static func blank(_ share: Double) -> Double {
    blank * share + emptiness * max(0, share - 0.5) * max(0, share - 0.5)
  }

  /// Returns the cost of an area that differs from a picture's ideal one.
  static func size(_ area: Double, wanted: Double) -> Double {
    let octaves = log2(area / wanted)
    return size * octaves * octaves
  }
}
