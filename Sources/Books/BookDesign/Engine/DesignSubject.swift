import Platform
import PictureTraits

/// A picture that gets a place, with what the engine asks for thousands of times.
struct DesignSubject {
  /// Its place in the request.
  let picture: Int
  /// The width divided by the height.
  let shape: Double
  let width: Double
  let height: Double
  let attention: AttentionProfile
  let keep: UnitRectangle?
  /// The rank from 0 to 1.
  let score: Double
  /// Whether the rank is known, and not a guess.
  let hasScore: Bool
  let isHero: Bool
  let startsPage: Bool
  /// The fixed page that it stands for; nil for a picture. Such a page is settled like one picture that allows a single
  /// template.
  let fixed: Int?
  let hasCaption: Bool
  /// The area that suits its rank, as a multiple of the usual one. Set for each section.
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

  /// The area that suits the shape, as a multiple of the usual one: the eye judges a panorama by its shorter side.
  var areaForShape: Double { min(4, max(1, max(shape, 1 / shape) / 1.5)) }

  /// Gives the pictures of a section areas that suit their ranks within it. Other sections do not count, so that more
  /// pictures at the end of a book change nothing before.
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
