/// A picture that cannot be compared, or that the page does not show as it is stored.
enum PictureFault: Error, Sendable, Equatable {
  case notAnImage
  case form
  case angle
  case oddClip
  case notDecoded(String)
  case notCompared(String)
  /// A feature that imghost never writes.
  case foreign(String)
  /// The data has more rows than the dictionary declares.
  case moreRows
  /// Opacity inside JPEG 2000 data.
  case opacityInData
  case sizeStated(width: Int, height: Int, actualWidth: Int, actualHeight: Int)
  case componentsStated(Int, actual: Int)
  case bitsStated(Int, actual: Int)
  /// Three components of a JPEG that readers may interpret either as RGB or as YCbCr.
  case ambiguousColours
  case blank
  /// - Parameter area: the area of the pixels that differ, in the page's units.
  case pixels(different: Int, of: Int, most: Int, x: Int, y: Int, area: PageBox? = nil)
  /// The share of pixels that differ, from 0 to 1, in the visible part of a picture that is only a few pixels wide or
  /// high.
  case magnifiedPixels(share: Double, most: Int, x: Int, y: Int)
  case unlikeStored(decibels: Double)
  case invisible

  var severity: Severity {
    switch self {
    case .form, .angle, .oddClip, .notCompared, .foreign, .opacityInData: .warning
    case .moreRows: .note
    default: .error
    }
  }

  func text(ofPicture number: Int, from file: String?) -> String {
    let picture = "picture \(number)" + (file.map { " (\($0))" } ?? "")
    return switch self {
    case .notAnImage: "\(picture) is not a valid image object"
    case .form: "item \(number) is a form, whose contents were not compared"
    case .angle: "\(picture) lies at an angle and was not compared"
    case .oddClip: "\(picture) is clipped by a shape and was not compared"
    case .notDecoded(let reason): "\(picture) cannot be decoded: \(reason)"
    case .notCompared(let reason), .foreign(let reason):
      "\(picture) was not compared exactly: \(reason)"
    case .moreRows:
      "the compressed data of \(picture) goes on after its last row; no reader shows that"
    case .opacityInData:
      "\(picture) has opacity in its JPEG 2000 data, which poppler does not show: "
        + "only its colours were compared"
    case .sizeStated(let width, let height, let actualWidth, let actualHeight):
      "\(picture) states \(width)x\(height) pixels; its data has " + "\(actualWidth)x\(actualHeight)"
    case .componentsStated(let stated, let actual):
      "\(picture) states \(FaultText.count(stated, "colour component")); its data has \(actual)"
    case .bitsStated(let stated, let actual):
      "\(picture) states \(FaultText.count(stated, "bit")) for each colour component; its data has \(actual)"
    case .ambiguousColours:
      "some readers take \(picture) for RGB and others for YCbCr: it has neither an Adobe marker nor a ColorTransform"
    case .blank: "the page is blank where \(picture) should be"
    case .pixels(let different, let total, let most, let x, let y, _):
      "\(picture) is not shown as it is stored: \(different) of \(total) pixels differ, "
        + "by up to \(most), the first at (\(x), \(y))"
    case .magnifiedPixels(let share, let most, let x, let y):
      "\(picture) is not shown as it is stored: "
        + "\(FaultText.number(max(0.1, share * 100), decimals: 1))% of its visible part differs, "
        + "by up to \(most), the first at its pixel (\(x), \(y))"
    case .unlikeStored(let decibels):
      "\(picture) is not shown as it is stored: "
        + "\(FaultText.number(decibels, decimals: 1)) dB, at least 25 are needed"
    case .invisible: "\(picture) lies outside what the page shows"
    }
  }
}
