/// The linear light of eight pixels, with separate bands.
struct LightBlock {
  static let width = 8
  /// Eight reds, eight greens and eight blues. The block's user owns the memory.
  private let planes: UnsafeMutablePointer<Float>

  /// Calls `body` with a zeroed block.
  @inline(__always)
  static func withBlock(_ body: (LightBlock) -> Void) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * width) { planes in
      planes.initialize(repeating: 0)
      body(LightBlock(planes: planes.baseAddress!))
    }
  }

  @inline(__always)
  private init(planes: UnsafeMutablePointer<Float>) { self.planes = planes }

  subscript(band: Int) -> SIMD8<Float> {
    @inline(__always) get {
      UnsafeRawPointer(planes + band * Self.width).loadUnaligned(as: SIMD8<Float>.self)
    }
    @inline(__always) nonmutating set {
      UnsafeMutableRawPointer(planes + band * Self.width).storeBytes(of: newValue, as: SIMD8<Float>.self)
    }
  }

  /// Decodes up to eight pixels.
  ///
  /// - Parameters:
  ///   - bands: the samples from one pixel to the next.
  ///   - offsets: the positions of red, green and blue in a pixel; all 0 for gray.
  @inline(__always)
  func decode<Sample: StoredSample>(
    _ pixels: UnsafePointer<Sample>, count: Int, bands: Int, offsets: (Int, Int, Int), _ table: UnsafePointer<Float>
  ) {
    for lane in 0..<count {
      let pixel = pixels + lane * bands
      planes[lane] = table[Int(pixel[offsets.0])]
      planes[Self.width + lane] = table[Int(pixel[offsets.1])]
      planes[2 * Self.width + lane] = table[Int(pixel[offsets.2])]
    }
  }

  /// Encodes up to eight pixels into their first three bands.
  @inline(__always)
  func encode<Sample: StoredSample>(
    into pixels: UnsafeMutablePointer<Sample>, count: Int, bands: Int,
    _ table: UnsafePointer<Float>
  ) {
    for lane in 0..<count {
      for band in 0..<3 {
        let value = SRGBTransfer.encode(planes[band * Self.width + lane], table)
        pixels[lane * bands + band] = Sample(nearest: value * Sample.top)
      }
    }
  }
}
