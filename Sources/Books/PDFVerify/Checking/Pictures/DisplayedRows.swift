import ImageCore

/// Rows of a stored picture as a page shows them: upright, in 8-bit RGB.
struct DisplayedRows {
  private let picture: StoredPicture
  let width: Int
  let height: Int
  /// The displayed pixel (x, y) is the stored pixel (u0 + ux·x + uy·y, v0 + vx·x + vy·y).
  private let u: (start: Int, x: Int, y: Int)
  private let v: (start: Int, x: Int, y: Int)
  /// The colour behind a transparent picture, 0 to 255.
  private let background: (Int, Int, Int)

  init(_ picture: StoredPicture, orientation: Orientation, background: [Double]) {
    self.picture = picture
    let stored = picture.pixels.layout
    let (right, bottom) = (stored.width - 1, stored.height - 1)
    (width, height) = orientation.swapsSides ? (stored.height, stored.width) : (stored.width, stored.height)
    switch orientation {
    case .upright: (u, v) = ((0, 1, 0), (0, 0, 1))
    case .mirrored: (u, v) = ((right, -1, 0), (0, 0, 1))
    case .rotated180: (u, v) = ((right, -1, 0), (bottom, 0, -1))
    case .flipped: (u, v) = ((0, 1, 0), (bottom, 0, -1))
    case .transposed: (u, v) = ((0, 0, 1), (0, 1, 0))
    case .rotated90: (u, v) = ((0, 0, 1), (bottom, -1, 0))
    case .transversed: (u, v) = ((right, 0, -1), (bottom, -1, 0))
    case .rotated270: (u, v) = ((right, 0, -1), (0, 1, 0))
    }
    let levels = background.map { Int(($0 * 255).rounded()) }
    self.background = (levels[0], levels[1], levels[2])
  }

  /// Writes row `y`, three bytes per pixel.
  func read(_ y: Int, into row: UnsafeMutablePointer<UInt8>) {
    let layout = picture.pixels.layout
    let bytes = layout.format.bytesPerPixel
    // A displayed row may be a stored column, so its pixels may be far apart in memory.
    let step = u.x * bytes + v.x * picture.pixels.stride
    var pixel =
      picture.pixels.row(v.start + v.y * y) + (u.start + u.y * y) * bytes
    if step == 3, layout.format == .rgb8, picture.mask == nil {
      UnsafeMutableRawPointer(row).copyMemory(from: pixel, byteCount: width * 3)
      return
    }
    let isGray = layout.format.model == .gray
    if layout.format.sample == .u8 {
      for x in 0..<width {
        let red = pixel.load(as: UInt8.self)
        row[x * 3] = red
        row[x * 3 + 1] = isGray ? red : pixel.load(fromByteOffset: 1, as: UInt8.self)
        row[x * 3 + 2] = isGray ? red : pixel.load(fromByteOffset: 2, as: UInt8.self)
        pixel += step
      }
    } else {
      for x in 0..<width {
        let red = high(pixel, 0)
        row[x * 3] = red
        row[x * 3 + 1] = isGray ? red : high(pixel, 1)
        row[x * 3 + 2] = isGray ? red : high(pixel, 2)
        pixel += step
      }
    }
    if let mask = picture.mask { blend(y, row, mask) }
  }

  /// Copies the page's pixels into row `y` wherever the picture is not opaque.
  func adopt(_ pixels: UnsafePointer<UInt32>, whereTransparentIn y: Int, into row: UnsafeMutablePointer<UInt8>) {
    guard let mask = picture.mask else { return }
    for x in 0..<width where alpha(x, y, mask) < 255 {
      for band in 0..<3 { row[x * 3 + band] = UInt8(pixels[x] >> UInt32(16 - band * 8) & 0xff) }
    }
  }

  private func alpha(_ x: Int, _ y: Int, _ mask: PixelBuffer) -> Int {
    let bytes = mask.layout.format.bytesPerPixel
    let pixel = mask.row(v.start + v.x * x + v.y * y) + (u.start + u.x * x + u.y * y) * bytes
    return Int(bytes == 1 ? pixel.load(as: UInt8.self) : high(pixel, 0))
  }

  /// Returns the upper 8 bits of a 16-bit sample.
  private func high(_ pixel: UnsafeMutableRawPointer, _ band: Int) -> UInt8 {
    UInt8(pixel.load(fromByteOffset: band * 2, as: UInt16.self) >> 8)
  }

  private func blend(_ y: Int, _ row: UnsafeMutablePointer<UInt8>, _ mask: PixelBuffer) {
    for x in 0..<width {
      let alpha = alpha(x, y, mask)
      for (band, behind) in [background.0, background.1, background.2].enumerated() {
        let value = Int(row[x * 3 + band]) * alpha + behind * (255 - alpha)
        row[x * 3 + band] = UInt8((value + 127) / 255)
      }
    }
  }
}
