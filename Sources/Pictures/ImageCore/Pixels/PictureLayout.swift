/// The size and pixel format of a picture.
public struct PictureLayout: Sendable, Hashable {
  /// The width in pixels, at least 1.
  public let width: Int
  /// The height in pixels, at least 1.
  public let height: Int
  public let format: PixelFormat

  public init(width: Int, height: Int, format: PixelFormat) {
    precondition(width > 0 && height > 0, "a picture has at least one pixel")
    self.width = width
    self.height = height
    self.format = format
  }

  /// The number of bytes of one row without padding.
  public var rowByteCount: Int { width * format.bytesPerPixel }
  /// The number of bytes of all rows without padding.
  public var byteCount: Int { rowByteCount * height }
  /// The number of bands of a pixel.
  public var bands: Int { format.bands }

  public func with(width: Int, height: Int) -> PictureLayout {
    PictureLayout(width: width, height: height, format: format)
  }
  public func with(format: PixelFormat) -> PictureLayout {
    PictureLayout(width: width, height: height, format: format)
  }

  /// Returns the layout that results when a decoder shrinks by an integer factor: sides are rounded up.
  public func shrunk(by factor: Int) -> PictureLayout {
    with(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
  }

  /// The largest side of a picture, in pixels: more than viewers of JPEG, PNG and PDF can show.
  public static let maximumSide = 1_000_000
  /// The maximum number of pixels of a picture: 4 gigapixels.
  public static let maximumPixels = 4_294_967_296
}

/// A rectangle of whole pixels, with the origin in the top left corner.
public struct Region: Sendable, Hashable {
  public let left: Int
  public let top: Int
  public let width: Int
  public let height: Int

  public init(left: Int, top: Int, width: Int, height: Int) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }

  public var right: Int { left + width }
  public var bottom: Int { top + height }

  /// Returns whether the region is not empty and lies inside a picture of the given size.
  public func isInside(width: Int, height: Int) -> Bool {
    left >= 0 && top >= 0 && self.width > 0 && self.height > 0
      && right <= width && bottom <= height
  }
}
