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

/// A fault of the folder of sources, or a picture that was not made from its files. Pictures are identified by their
/// numbers on the page.
enum SourceFault: FaultKind {
  case unknown(Int, folder: String)
  /// The picture is not one of the folder's files, and the document does not record sources.
  case unnoted(Int, folder: String)
  /// Some of the files from which the picture was made are missing.
  case missing(Int, Int, of: Int, folder: String)
  case drawn(Int)
  case partlyDrawn(Int)
  /// A file or folder that could not be read.
  case unread(String, folder: String, reason: String)
  case moreUnread(Int, folder: String)
  case noFiles(folder: String)

  var severity: Severity {
    switch self {
    case .drawn, .unread, .moreUnread, .noFiles: .warning
    case .partlyDrawn: .note
    default: .error
    }
  }

  var text: String {
    switch self {
    case .unknown(let number, let folder): "picture \(number) is not made from a file in \(folder)"
    case .unnoted(let number, let folder):
      "picture \(number) is not one of the files in \(folder), and the book does not say what its "
        + "pictures were made from"
    case .missing(let number, let count, let all, let folder):
      "picture \(number) was made from \(all) files, \(count) of which \(count == 1 ? "is" : "are") "
        + "not in \(folder)"
    case .drawn(let number):
      "picture \(number) was drawn by the script, not made from a file, so no folder can prove it"
    case .partlyDrawn(let number):
      "picture \(number) is partly drawn by the script; its files are there, but cannot prove that part"
    case .unread(let name, let folder, let reason):
      "'\(name)' in \(folder) cannot be read, and may be where a picture comes from: \(reason)"
    case .moreUnread(let count, let folder):
      "\(FaultText.count(count, "more file")) in \(folder) cannot be read"
    case .noFiles(let folder): "\(folder) contains no files that a picture could come from"
    }
  }
}
