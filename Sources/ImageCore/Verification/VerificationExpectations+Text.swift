/// Why expectations cannot be read.
public enum ExpectationsError: Error, Sendable, Equatable {
  case notExpectations
  case line(Int)
}

extension ExpectationsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notExpectations: "this is not a list of expectations written by imghost"
    case .line(let number): "line \(number) of the expectations cannot be understood"
    }
  }
}

/// The text form, one fact a line, lengths in points:
///
///     imghost-expectations 1
///     page WIDTH HEIGHT
///     picture LEFT BOTTOM WIDTH HEIGHT PIXELS-ACROSS PIXELS-DOWN ORIENTATION SHA256
///     fingerprint HEXADECIMAL
///
/// A `picture` belongs to the `page` before it, a `fingerprint` (6,144 digits) to the `picture` before it.
extension VerificationExpectations {
  private static let title = "imghost-expectations 1"

  /// The text form.
  public var text: String {
    var text = Self.title + "\n"
    for page in pages {
      text += "page \(page.width) \(page.height)\n"
      for picture in page.pictures {
        text += "picture \(picture.left) \(picture.bottom) \(picture.width) \(picture.height) "
        text += "\(picture.pixelWidth) \(picture.pixelHeight) \(picture.orientation.rawValue) "
        text += "\(picture.digest)\n"
        if let fingerprint = picture.fingerprint {
          text += "fingerprint \(Hexadecimal.text(fingerprint.cells))\n"
        }
      }
    }
    return text
  }

  /// Reads the text form.
  public init(text: String) throws(ExpectationsError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == Self.title else { throw .notExpectations }
    var reader = Reader()
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      guard reader.read(line.split(separator: " ")) else { throw .line(index + 1) }
    }
    reader.closePage()
    self.init(pages: reader.pages)
  }

  private struct Reader {
    var pages: [PageExpectation] = []
    private var size: (width: Double, height: Double)?
    private var pictures: [PictureExpectation] = []

    mutating func read(_ fields: [Substring]) -> Bool {
      switch fields.first {
      case "page" where fields.count == 3:
        closePage()
        guard let width = Double(fields[1]), let height = Double(fields[2]) else { return false }
        size = (width, height)
        return true
      case "picture" where fields.count == 9 && size != nil:
        guard let picture = Self.picture(fields) else { return false }
        pictures.append(picture)
        return true
      case "fingerprint" where fields.count == 2:
        guard let last = pictures.last, last.fingerprint == nil,
          let fingerprint = Hexadecimal.bytes(fields[1]).flatMap(PixelFingerprint.init(cells:))
        else { return false }
        pictures[pictures.count - 1] = last.with(fingerprint: fingerprint)
        return true
      default: return false
      }
    }

    mutating func closePage() {
      guard let (width, height) = size else { return }
      pages.append(PageExpectation(width: width, height: height, pictures: pictures))
      pictures = []
      size = nil
    }

    private static func picture(_ fields: [Substring]) -> PictureExpectation? {
      let box = fields[1...4].compactMap { Double($0) }
      let pixels = fields[5...6].compactMap { Int($0) }
      guard box.count == 4, pixels.count == 2, pixels.allSatisfy({ $0 > 0 }),
        let orientation = Int(fields[7]).flatMap(Orientation.init(rawValue:)),
        let digest = SHA256Digest(hexadecimal: fields[8])
      else { return nil }
      return PictureExpectation(
        left: box[0], bottom: box[1], width: box[2], height: box[3], pixelWidth: pixels[0],
        pixelHeight: pixels[1], orientation: orientation, digest: digest)
    }
  }
}

extension PictureExpectation {
  /// The same with the pixels that were meant.
  public func with(fingerprint: PixelFingerprint?) -> PictureExpectation {
    PictureExpectation(
      left: left, bottom: bottom, width: width, height: height, pixelWidth: pixelWidth,
      pixelHeight: pixelHeight, orientation: orientation, digest: digest, fingerprint: fingerprint)
  }
}
