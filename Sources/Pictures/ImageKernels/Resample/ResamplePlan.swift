import CKernels

/// A part of a picture with fractional edges, in pixels.
package struct ResampleBox: Sendable, Hashable {
  package let left: Double
  package let top: Double
  package let width: Double
  package let height: Double

  package init(left: Double, top: Double, width: Double, height: Double) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }
}

/// The sizes of source and target, and the part of the source that becomes the target.
package struct ResampleGeometry: Sendable, Hashable {
  /// The width and height of the source in pixels, at least 1 each.
  package let sourceWidth: Int
  package let sourceHeight: Int
  /// The part of the source that becomes the target, inside the source. Source samples beyond its edges still
  /// contribute at its edges: resampling a part equals resampling the whole and cropping.
  package let box: ResampleBox
  /// The width and height of the target in pixels, at least 1 each.
  package let targetWidth: Int
  package let targetHeight: Int

  /// - Parameter box: the part of the source; nil for the whole.
  package init(sourceWidth: Int, sourceHeight: Int, box: ResampleBox? = nil, targetWidth: Int, targetHeight: Int) {
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    self.box = box ?? ResampleBox(left: 0, top: 0, width: Double(sourceWidth), height: Double(sourceHeight))
    self.targetWidth = targetWidth
    self.targetHeight = targetHeight
  }
}

/// The layout of pixels in memory.
package struct ResamplePixels: Sendable, Hashable {
  /// The number of interleaved samples per pixel, 1 to 4.
  package let bands: Int
  /// The bytes per sample, 1 or 2.
  package let bytesPerSample: Int
  /// Whether the last band is straight alpha, by which the others are multiplied during resampling.
  package let hasAlpha: Bool

  package init(bands: Int, bytesPerSample: Int, hasAlpha: Bool) {
    precondition((1...4).contains(bands) && (1...2).contains(bytesPerSample))
    self.bands = bands
    self.bytesPerSample = bytesPerSample
    self.hasAlpha = hasAlpha
  }

  var bytesPerPixel: Int { bands * bytesPerSample }
  /// Whether pixels have four bands of 8 bits.
  var areFourBytes: Bool { bands == 4 && bytesPerSample == 1 }
}

/// Everything about a resampling that does not depend on pixel values. Immutable; may be used from any thread.
package struct ResamplePlan: Sendable {
  package let geometry: ResampleGeometry
  package let pixels: ResamplePixels
  let horizontal: ResampleAxis
  let vertical: ResampleAxis
  /// The source columns that are needed.
  let columns: Range<Int>
  /// The plan in integers; nil if only floating point is exact enough.
  let integers: IntegerPlan?
  /// The plan for rows that integers cannot process, such as those with transparency; nil if there are none, and if the
  /// horizontal pass runs first.
  let floats: FloatPlan?
  /// The plan for 16-bit samples without alpha; nil if `floats` must be used.
  let wide: WidePlan?
  /// The plan for most 8-bit pixels of four bands with alpha; `floats` is used for the others.
  let premultiplied: PremultipliedPlan?
  /// Whether colours are multiplied by alpha. Nearest copies pixels unchanged.
  let premultiplies: Bool
  /// Whether samples encoded with the sRGB curve are interpolated as linear light.
  let decodesLight: Bool
  let kernels: ResampleKernels

  /// - Parameter decodesLight: whether samples encoded with the sRGB curve are interpolated as linear light; only for
  ///   16 bits, as `LightKernels.decode8` makes them from 8 bits.
  package init(
    _ geometry: ResampleGeometry, pixels: ResamplePixels, kernel: ResampleKernel, decodesLight: Bool = false,
    instructions: InstructionSet = .current
  ) {
    precondition(!decodesLight || pixels.bytesPerSample == 2)
    self.decodesLight = decodesLight
    self.geometry = geometry
    self.pixels = pixels
    kernels = ResampleKernels(instructions)
    horizontal = ResampleAxis(
      sourceCount: geometry.sourceWidth, start: geometry.box.left, length: geometry.box.width,
      count: geometry.targetWidth, kernel: kernel)
    vertical = ResampleAxis(
      sourceCount: geometry.sourceHeight, start: geometry.box.top, length: geometry.box.height,
      count: geometry.targetHeight, kernel: kernel)
    columns = horizontal.sources(of: 0..<geometry.targetWidth)
    premultiplies = pixels.hasAlpha && kernel != .nearest
    integers =
      pixels.bytesPerSample == 1
      ? IntegerPlan(
        horizontal: horizontal, vertical: vertical, columns: columns,
        allowsHorizontalFirst: !premultiplies,
        rowsTogether: kernels.rowsTogether, pixelsTogether: kernels.pixelsTogether)
      : nil
    let needsFloats = vertical.taps <= Self.mostTaps && (integers == nil || premultiplies)
    wide =
      needsFloats && pixels.bytesPerSample == 2 && !premultiplies && !decodesLight
      ? WidePlan(horizontal, vertical, bands: pixels.bands, origin: columns.lowerBound) : nil
    floats = needsFloats && wide == nil ? FloatPlan(horizontal, vertical, origin: columns.lowerBound) : nil
    premultiplied =
      floats != nil && premultiplies && pixels.areFourBytes
      ? PremultipliedPlan(horizontal, vertical, columns: columns, pixelsTogether: kernels.pixelsTogether) : nil
  }

  /// The most source rows of a target row that are worth keeping; with more, the horizontal pass runs first.
  static let mostTaps = 160

  /// Whether the horizontal pass runs first: for extreme ratios and enlarging.
  var isHorizontalFirst: Bool { vertical.taps > Self.mostTaps || integers?.order == .horizontalFirst }

  /// Whether some sums need `Double`: dividing 16-bit colours by a small alpha magnifies errors up to 65,535 times.
  /// With light, `Double` is useless, because the table that encodes it is only as exact as `Float`.
  var needsDouble: Bool { premultiplies && pixels.bytesPerSample == 2 && !decodesLight }

  /// The number of bands of a pixel if the last one is alpha, by which the others are multiplied; 0 otherwise.
  var alphaBands: Int { premultiplies ? pixels.bands : 0 }

  /// Whether the pixels for floating point are 8-bit ones of four bands with alpha.
  var convertsInRegisters: Bool { premultiplies && pixels.areFourBytes }

  /// Returns the source rows of target rows `range`.
  package func sourceRows(of range: Range<Int>) -> Range<Int> { vertical.sources(of: range) }

  /// The number of products of the vertical pass for one target row: a measure of the work.
  package var productsPerRow: Int { columns.count * pixels.bands * vertical.taps }

  /// The best number of target rows for one worker at a time: four or eight or, if the horizontal pass runs first, as
  /// many as depend on about eight source rows, because these are filtered in groups of four.
  package var rowsAtOnce: Int {
    guard isHorizontalFirst else { return integers == nil || premultiplies ? otherRowsAtOnce : 4 }
    let sources = sourceRows(of: 0..<geometry.targetHeight).count
    return max(4, min(64, 8 * geometry.targetHeight / sources))
  }

  /// The number of target rows that are computed together if 8-bit arithmetic cannot be used.
  var otherRowsAtOnce: Int {
    if wide != nil { return WidePlan.rows }
    return premultiplied != nil ? PremultipliedPlan.rows : FloatScratch.rows
  }

  /// Returns the most source rows of any `count` adjacent target rows.
  package func mostSourceRows(of count: Int) -> Int {
    let height = geometry.targetHeight
    var most = 1
    for first in 0...max(0, height - count) {
      most = max(most, sourceRows(of: first..<min(first + count, height)).count)
    }
    return most
  }
}
