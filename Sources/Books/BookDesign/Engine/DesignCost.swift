import Platform

/// The cost that a design minimises: the sum of these terms over all pages. `Docs/Books.md` explains it.
///
/// A cost of 1 is about what a reader would call a clear flaw of a page.
enum DesignCost {
  /// For the whole of what draws the eye in a picture; a part of it costs its share.
  static let attention = 8.0
  /// The least share of what draws the eye that a crop must keep.
  static let leastKept = 0.9
  /// For each factor of e between a picture's shape and the nearest that its slot takes.
  static let shape = 2.0
  /// For a picture shown at twice or half the area that suits it, which is a base-2 logarithm of 1; squared.
  static let size = 0.35
  /// The binary logarithm of the area that a standard deviation of the score is worth.
  static let areaForScore = 0.8
  /// The pixels per inch below which print looks soft, the cost of being below, and that of each halving.
  static let leastResolution = 200.0
  static let soft = 3.0
  static let softer = 4.0
  /// The factor of these in templates of the whole page.
  static let softAtEdges = 2.0
  /// For a picture of few pixels that is smaller than its slot.
  static let smallInSlot = 0.5
  /// For a block of pictures that leaves all of its place blank, a part of it costs its share; and for the square of
  /// what is blank beyond a half.
  static let blank = 2.0
  static let emptiness = 8.0
  /// For a fold through what draws the eye: for each time by which the strip around it draws more than an average one.
  static let fold = 0.5
  static let foldStrip = 0.125
  /// For a pair of pictures whose places are against their order.
  static let disorder = 0.15
  /// For a hero on a template that is not made for one.
  static let plainHero = 1.5
  /// For one template twice in a row: more than anything else can cost.
  static let repetition = 60.0
  /// For as many pictures as on the page before.
  static let sameCount = 0.2
  /// For a dense page after a dense one: pages of at least `denseCount` pictures.
  static let dense = 0.5
  static let denseCount = 4
  /// For a page covered to its edges after another one, unless both face each other.
  static let fullAfterFull = 0.35
  /// For facing pages whose pictures begin or end at different heights, as a share of the page from which the
  /// difference is complete.
  static let unevenFacing = 0.3
  static let unevenShare = 0.1
  /// For a blank page before a fixed spread that would begin on the wrong side: more than anything but repetition.
  static let blankPage = 100.0
  /// For a picture left alone at the end of a section.
  static let orphan = 3.0

  /// Returns the cost of a picture's resolution in pixels per inch.
  static func resolution(_ dpi: Double) -> Double {
    dpi >= leastResolution ? 0 : soft + softer * min(4, log2(leastResolution / dpi))
  }

  /// Returns the cost of the blank share of a template's place.
  static func blank(_ share: Double) -> Double {
    blank * share + emptiness * max(0, share - 0.5) * max(0, share - 0.5)
  }

  /// Returns the cost of an area that differs from the one that suits a picture.
  static func size(_ area: Double, wanted: Double) -> Double {
    let octaves = log2(area / wanted)
    return size * octaves * octaves
  }
}
