import Platform
import PictureTraits

/// A picture to be placed, or a fixed page, with precomputed values that the engine needs thousands of times.
struct DesignSubject {
  /// The picture's index in the request; -1 for a fixed page.
  let picture: Int
  /// The aspect ratio: width divided by height.
  let shape: Double
  let width: Double
  let height: Double
  let attention: AttentionProfile
  let keep: UnitRectangle?
  /// The score from 0 to 1: from a hint, or else measured; 0.5 if there is neither.
  let score: Double
  /// Whether the score comes from a hint or a measurement.
  let hasScore: Bool
  let isHero: Bool
  let startsPage: Bool
  /// The fixed page that this subject represents; nil for a picture. A fixed page is treated like a picture with only
  /// one possible template.
  let fixed: Int?
  let hasCaption: Bool
  /// The ideal area for the shape and score, as a multiple of the average. Set by `rank`, for each section.
  var wantedArea = 1.0

  init(_ place: Int, _ picture: DesignPicture, _ hint: DesignHint, _ even: AttentionProfile) {
    self.picture = place
    width = Double(max(1, picture.width))
    height = Double(max(1, picture.height))
    shape = width / height
    attention = (hint.attention ?? picture.traits?.attention).map(AttentionProfile.init) ?? even
    keep = hint.keep
    score = min(1, max(0, hint.score ?? picture.traits?.score ?? 0.5))
    hasScore = hint.score != nil || picture.traits != nil
    isHero = hint.hero
    startsPage = hint.startsPage
    hasCaption = picture.hasCaption
    fixed = nil
  }

  init(fixed: Int, _ even: AttentionProfile) {
    self.fixed = fixed
    (picture, shape, width, height, attention) = (-1, 1, 1, 1, even)
    (keep, score, hasScore, isHero, startsPage, hasCaption) = (nil, 0, false, false, false, false)
  }

  /// The ideal area for the shape, as a multiple of the average. It is larger for a panorama, because viewers judge a
  /// panorama by its shorter side.
  var areaForShape: Double { min(4, max(1, max(shape, 1 / shape) / 1.5)) }

  /// Sets the ideal areas of a section's pictures from their shapes, and from their scores relative to the section's
  /// mean. Other sections are ignored, so that adding pictures at the end of a book does not change earlier sections.
  static func rank(_ subjects: inout [DesignSubject], in section: Range<Int>) {
    for index in section { subjects[index].wantedArea = subjects[index].areaForShape }
    let known = section.filter { subjects[$0].hasScore }.map { subjects[$0].score }
    guard known.count > 1 else { return }
    let mean = known.reduce(0, +) / Double(known.count)
    let deviation = (known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(known.count)).squareRoot()
    guard deviation > 0.005 else { return }
    for index in section where subjects[index].hasScore {
      let rank = min(2, max(-2, (subjects[index].score - mean) / deviation))
      subjects[index].wantedArea *= exp2(DesignCost.areaForScore * rank)
    }
  }
}
