/// What a PDF that imghost wrote must show: made by the writer's side, read by `imghost-verify`.
public struct VerificationExpectations: Sendable, Hashable {
  /// In page order.
  public var pages: [PageExpectation]

  public init(pages: [PageExpectation] = []) { self.pages = pages }
}

/// What one page must be.
public struct PageExpectation: Sendable, Hashable {
  /// Points (1/72 inch) across.
  public let width: Double
  /// Points down.
  public let height: Double
  /// In drawing order.
  public let pictures: [PictureExpectation]

  public init(width: Double, height: Double, pictures: [PictureExpectation]) {
    self.width = width
    self.height = height
    self.pictures = pictures
  }
}

/// What one picture on a page must be.
public struct PictureExpectation: Sendable, Hashable {
  /// The rectangle the picture covers, before any clipping: points from the page's lower left corner.
  public let left: Double
  public let bottom: Double
  public let width: Double
  public let height: Double
  /// Stored pixels, before the orientation is applied.
  public let pixelWidth: Int
  public let pixelHeight: Int
  /// How the stored picture is turned on the page.
  public let orientation: Orientation
  /// Of the bytes of the stored stream.
  public let digest: SHA256Digest
  /// The pixels that were meant, upright; nil where they were never decoded.
  public let fingerprint: PixelFingerprint?

  public init(
    left: Double, bottom: Double, width: Double, height: Double, pixelWidth: Int, pixelHeight: Int,
    orientation: Orientation = .upright, digest: SHA256Digest, fingerprint: PixelFingerprint? = nil
  ) {
    self.left = left
    self.bottom = bottom
    self.width = width
    self.height = height
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.orientation = orientation
    self.digest = digest
    self.fingerprint = fingerprint
  }
}
