import CPluginABI
import ImageCore

/// Converts rows of a picture to a plugin's rows and back.
///
/// Samples become floats from 0 to 1, which represent 16 bits exactly. Between 8-bit pictures and 8-bit plugins that do
/// not want premultiplied alpha, samples are only rearranged. Each picture has its own `RowConversion`.
struct RowConversion {
  let format: PluginFormat
  let width: Int
  /// The format of the picture on the host's side.
  private let picture: PixelFormat
  private var outer: [Float]
  private var inner: [Float]

  init(_ format: PluginFormat, outer picture: PixelFormat, width: Int) {
    self.format = format
    self.width = width
    self.picture = picture
    outer = Array(repeating: 0, count: width * 4)
    inner = Array(repeating: 0, count: width * 4)
  }

  mutating func toPlugin(_ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
    let input = picture
    guard !isMove else {
      moveToPlugin(row, target)
      return
    }
    Self.unpack(row, PluginFormat.sample(of: input), width * input.bands, into: &outer)
    let (from, to, colours) = (input.bands, format.bands, format.model.bandCount)
    for x in 0..<width {
      let alpha = input.hasAlpha ? outer[x * from + from - 1] : 1
      for band in 0..<colours {
        let value = outer[x * from + (input.model == .gray ? 0 : band)]
        inner[x * to + place(band)] = format.isPremultiplied ? value * alpha : value
      }
      if format.hasAlpha { inner[x * to + to - 1] = alpha }
    }
    Self.pack(inner, width * to, format.sample, into: target)
  }

  /// Converts a row of the plugin to a row of the result.
  ///
  /// - Parameter kept: the row of the alpha band that bypassed the plugin; nil for none.
  mutating func fromPlugin(_ row: UnsafeRawPointer, alpha kept: UnsafeRawPointer?, _ target: UnsafeMutableRawPointer) {
    let output = picture
    guard !isMove || kept != nil else {
      moveFromPlugin(row, target)
      return
    }
    Self.unpack(row, format.sample, width * format.bands, into: &inner)
    if let kept { Self.unpack(kept, PluginFormat.sample(of: output), width, into: &outer) }
    let keptAlpha = kept == nil ? [] : Array(outer[..<width])
    let (from, to, colours) = (format.bands, output.bands, format.model.bandCount)
    for x in 0..<width {
      let alpha =
        kept != nil ? keptAlpha[x] : format.hasAlpha ? inner[x * from + from - 1] : 1
      let factor = format.isPremultiplied ? (alpha > 0 ? 1 / alpha : 0) : 1
      for band in 0..<colours { outer[x * to + band] = inner[x * from + place(band)] * factor }
      if output.hasAlpha { outer[x * to + to - 1] = alpha }
    }
    Self.pack(outer, width * to, PluginFormat.sample(of: output), into: target)
  }

  /// Copies the alpha band of a row of the picture.
  func alpha(of row: UnsafeRawPointer, into target: UnsafeMutableRawPointer) {
    let format = picture
    let (size, step) = (format.sample.byteCount, format.bytesPerPixel)
    for x in 0..<width { (target + x * size).copyMemory(from: row + x * step + step - size, byteCount: size) }
  }

  /// Returns the index that a colour band of the picture has in the plugin's pixels.
  private func place(_ band: Int) -> Int { format.isBlueFirst ? 2 - band : band }

  /// Whether samples keep their values, and are only rearranged.
  private var isMove: Bool {
    picture.sample == .u8 && format.sample == IMGHOST_SAMPLE_U8 && !format.isPremultiplied
  }

  private func moveToPlugin(_ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
    let (source, result) = (row.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self))
    let (from, to, colours) = (picture.bands, format.bands, format.model.bandCount)
    let (step, hasAlpha) = (picture.model == .gray ? 0 : 1, picture.hasAlpha)
    let (first, direction) = format.isBlueFirst ? (2, -1) : (0, 1)
    for x in 0..<width {
      let (pixel, other) = (source + x * from, result + x * to)
      for band in 0..<colours { other[first + direction * band] = pixel[band * step] }
      if to > colours { other[colours] = hasAlpha ? pixel[from - 1] : 255 }
    }
  }

  private func moveFromPlugin(_ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
    let (source, result) = (row.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self))
    let (from, to, colours) = (format.bands, picture.bands, format.model.bandCount)
    let (first, direction) = format.isBlueFirst ? (2, -1) : (0, 1)
    for x in 0..<width {
      let (pixel, other) = (source + x * from, result + x * to)
      for band in 0..<colours { other[band] = pixel[first + direction * band] }
      if to > colours { other[colours] = from > colours ? pixel[colours] : 255 }
    }
  }

  private static func unpack(_ row: UnsafeRawPointer, _ sample: UInt32, _ count: Int, into floats: inout [Float]) {
    switch sample {
    case IMGHOST_SAMPLE_U8:
      let samples = row.assumingMemoryBound(to: UInt8.self)
      for i in 0..<count { floats[i] = Float(samples[i]) / 255 }
    case IMGHOST_SAMPLE_U16:
      let samples = row.assumingMemoryBound(to: UInt16.self)
      for i in 0..<count { floats[i] = Float(samples[i]) / 65_535 }
    default:
      let samples = row.assumingMemoryBound(to: Float.self)
      for i in 0..<count { floats[i] = samples[i] }
    }
  }

  private static func pack(_ floats: [Float], _ count: Int, _ sample: UInt32, into row: UnsafeMutableRawPointer) {
    switch sample {
    case IMGHOST_SAMPLE_U8:
      let samples = row.assumingMemoryBound(to: UInt8.self)
      for i in 0..<count { samples[i] = UInt8(clamped(floats[i]) * 255 + 0.5) }
    case IMGHOST_SAMPLE_U16:
      let samples = row.assumingMemoryBound(to: UInt16.self)
      for i in 0..<count { samples[i] = UInt16(clamped(floats[i]) * 65_535 + 0.5) }
    default:
      let samples = row.assumingMemoryBound(to: Float.self)
      for i in 0..<count { samples[i] = floats[i] }
    }
  }

  /// Limits a value to the range from 0 to 1; 0 for NaN.
  private static func clamped(_ value: Float) -> Float { value > 0 ? min(value, 1) : 0 }
}
