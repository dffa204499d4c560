/// A picture that differs from the one that was written, or from the requirements.
enum WrittenPictureFault: Sendable, Equatable {
  case resolution(Double, least: Double, unit: Double)
  case pixelSize(width: Int, height: Int, actualWidth: Int, actualHeight: Int)
  /// The expected and the actual place, each as left, bottom, width and height in points, and the distance between them
  /// in the picture's pixels.
  case place([Double], actual: [Double], pixels: Double)
  /// Orientations as EXIF numbers, 1 to 8.
  case orientation(Int, actual: Int)
  case ofOtherPage(Int)
  /// The picture was exchanged with another one of the page: it belongs in the place of the picture with this number.
  case ofOtherPlace(Int)
  /// The stored bytes, or those of the given parts, differ from the written ones.
  case otherBytes(orOf: [String] = [])
  /// Something was added to a picture whose stored bytes are as written.
  case addition(String)
  /// The data is compressed in a way that imghost never uses.
  case repacked
  case unlike(decibels: Double)
  case moreLike(page: Int, decibels: Double, meant: Double)

  var severity: Severity { .error }

  func text(ofPicture number: Int, from file: String?) -> String {
    let picture = "picture \(number)" + (file.map { " (\($0))" } ?? "")
    return switch self {
    case .resolution(let actual, let least, let unit):
      "\(picture) has \(FaultText.number(actual, decimals: 1)) pixels per inch; "
        + "at least \(FaultText.number(least, decimals: 1)) are wanted" + FaultText.cause(unit)
    case .pixelSize(let width, let height, let actualWidth, let actualHeight):
      "\(picture) has \(actualWidth)x\(actualHeight) pixels instead of \(width)x\(height)"
    case .place(let expected, let actual, let pixels):
      "\(picture) lies at \(FaultText.place(actual)) instead of \(FaultText.place(expected)), "
        + "\(FaultText.number(pixels, decimals: 1)) of its pixels off"
    case .orientation(let expected, let actual):
      "\(picture) is turned as EXIF orientation \(actual) instead of \(expected)"
    case .ofOtherPage(let page): "\(picture) is the one meant for page \(page)"
    case .ofOtherPlace(let other):
      "\(picture) is the one meant for picture \(other) of this page"
    case .otherBytes(let parts):
      (["the stored bytes of \(picture)"] + parts.map { "of its \($0)" })
        .joined(separator: " or ") + " are not those that were written"
    case .addition(let what): "\(picture) was given \(what) after it was written"
    case .repacked:
      "\(picture) was repacked by another program, so that its pixels cannot be proven to be the "
        + "written ones; have the book rewritten with its pictures' data unchanged"
    case .unlike(let decibels):
      "\(picture) does not look as meant: "
        + "\(FaultText.number(decibels, decimals: 1)) dB, at least 25 are needed"
    case .moreLike(let page, let decibels, let meant):
      "\(picture) looks more like page \(page) "
        + "(\(FaultText.number(decibels, decimals: 1)) dB) "
        + "than as meant (\(FaultText.number(meant, decimals: 1)) dB)"
    }
  }
}
