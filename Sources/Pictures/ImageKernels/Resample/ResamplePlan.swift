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
  /// Pixels of the source, at least 1 each.
  package let sourceWidth: Int
  package let sourceHeight: Int
  /// The part of the source that becomes the target, inside the source. Source samples beyond its edges still count
  /// at its edges: resampling a part equals resampling all and cropping.
  package let box: ResampleBox
  /// Pixels of the target, at least 1 each.
  package let targetWidth: Int
  package let targetHeight: Int

  /// - Parameter box: `nil` for all of the source.
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
  /// Interleaved samples of a pixel, 1 to 4.
  package let bands: Int
  /// 1 or 2.
  package let bytesPerSample: Int
  /// Whether the last band is straight alpha, by which the others are multiplied.
  package let hasAlpha: Bool

  package init(bands: Int, bytesPerSample: Int, hasAlpha: Bool) {
    precondition((1...4).contains(bands) && (1...2).contains(bytesPerSample))
    self.bands = bands
    self.bytesPerSample = bytesPerSample
    self.hasAlpha = hasAlpha
  }

  var bytesPerPixel: Int { bands * bytesPerSample }
  /// Whether they are of four bands of 8 bits.
  var areFourBytes: Bool { bands == 4 && bytesPerSample == 1 }
}

/// Everything about a resampling that does not depend on pixel values. Immutable, for any thread.
package struct ResamplePlan: Sendable {
  package let geometry: ResampleGeometry
  package let pixels: ResamplePixels
  let horizontal: ResampleAxis
  let vertical: ResampleAxis
  /// Source columns that are needed.
  let columns: Range<Int>
  /// nil where only floating point is exact enough.
  let integers: IntegerPlan?
  /// Rows that integers cannot do, those with transparency among them; nil where none may need it, and
  /// where the horizontal pass goes first.
  let floats: FloatPlan?
  /// 16-bit samples without alpha; nil where `floats` has to do it.
  let wide: WidePlan?
  /// 8-bit pixels of four bands with alpha, most of them; `floats` does what it cannot do.
  let premultiplied: PremultipliedPlan?
  /// Whether colours are multiplied by alpha. Nearest copies pixels as they are.
  let premultiplies: Bool
  /// Whether samples encoded by the curve of sRGB are mixed as linear light.
  let decodesLight: Bool
  let kernels: ResampleKernels

  /// - Parameter decodesLight: whether samples encoded by the curve of sRGB are mixed as linear light; for 16 bits
  ///   only, as `LightKernels.decode8` makes them of 8.
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

  /// The most source rows of a target row that are worth keeping; with more, the horizontal pass goes first.
  static let mostTaps = 160

  /// Whether the horizontal pass goes first: for extreme ratios and enlarging.
  var isHorizontalFirst: Bool { vertical.taps > Self.mostTaps || integers?.order == .horizontalFirst }

  /// Whether some sums need `Double`: dividing 16-bit colours by a small alpha magnifies errors up to
  /// 65,535 times. The table that encodes light is no more exact than `Float`.
  var needsDouble: Bool { premultiplies && pixels.bytesPerSample == 2 && !decodesLight }

  /// Bands of a pixel whose last one is alpha, by which the others are multiplied; 0 where there is none.
  var alphaBands: Int { premultiplies ? pixels.bands : 0 }

  /// Whether what has to be done in floating point is 8-bit pixels of four bands with alpha.
  var convertsInRegisters: Bool { premultiplies && pixels.areFourBytes }

  /// The source rows that target rows `range` are made of.
  package func sourceRows(of range: Range<Int>) -> Range<Int> { vertical.sources(of: range) }

  /// Products of the vertical pass for one target row: a measure of the work.
  package var productsPerRow: Int { columns.count * pixels.bands * vertical.taps }

  /// Target rows that one worker best makes at a time: four or eight, or, where the horizontal pass goes first, as many
  /// as are made of some eight source rows, since these are filtered by four.
  package var rowsAtOnce: Int {
    guard isHorizontalFirst else { return integers == nil || premultiplies ? otherRowsAtOnce : 4 }
    let sources = sourceRows(of: 0..<geometry.targetHeight).count
    return max(4, min(64, 8 * geometry.targetHeight / sources))
  }

  /// Target rows that are made together where 8-bit arithmetic does not do.
  var otherRowsAtOnce: Int {
    if wide != nil { return WidePlan.rows }
    return premultiplied != nil ? PremultipliedPlan.rows : FloatScratch.rows
  }

  /// The most source rows that any `count` adjoining target rows are made of.
  package func mostSourceRows(of count: Int) -> Int {
    let height = geometry.targetHeight
    var most = 1
    for first in 0...max(0, height - count) {
      most = max(most, sourceRows(of: first..<min(first + count, height)).count)
    }
    return most
  }
}
