/// The sizes and format of a resampling, as workers get them on their command line.
struct KernelJob {
  let width: Int
  let height: Int
  let bands: Int
  /// 8 or 16.
  let bits: Int
  /// Whether the last band is alpha, which multiplies the others.
  let hasAlpha: Bool
  let targetWidth: Int
  let targetHeight: Int
  let kernel: Kernel

  enum Kernel: String {
    case lanczos3
    /// Catmull-Rom.
    case cubic
  }

  var bytesPerSample: Int { bits / 8 }
  var rowBytes: Int { width * bands * bytesPerSample }
  var sourceBytes: Int { rowBytes * height }
  var targetRowBytes: Int { targetWidth * bands * bytesPerSample }
  var targetBytes: Int { targetRowBytes * targetHeight }

  /// How the samples are named in the table.
  var format: String {
    let names = [1: "gray", 3: "RGB", 4: "RGBA"]
    return (hasAlpha ? "premultiplied " : "") + (names[bands] ?? "\(bands) bands ") + "\(bits)"
  }

  var title: String {
    let kernel = kernel == .lanczos3 ? "Lanczos 3" : "Catmull-Rom"
    return "\(format) \(width)x\(height) to \(targetWidth)x\(targetHeight), \(kernel)"
  }

  var arguments: [String] {
    [width, height, bands, bits, hasAlpha ? 1 : 0, targetWidth, targetHeight].map { String($0) } + [kernel.rawValue]
  }

  init(
    _ width: Int, _ height: Int, bands: Int, bits: Int = 8, hasAlpha: Bool = false,
    to target: (Int, Int), _ kernel: Kernel = .lanczos3
  ) {
    self.width = width
    self.height = height
    self.bands = bands
    self.bits = bits
    self.hasAlpha = hasAlpha
    (targetWidth, targetHeight) = target
    self.kernel = kernel
  }

  /// Reads arguments; nil if they are invalid.
  init?(_ arguments: ArraySlice<String>) {
    let numbers = arguments.dropLast().compactMap { Int($0) }
    guard numbers.count == 7, let kernel = arguments.last.flatMap(Kernel.init) else { return nil }
    self.init(
      numbers[0], numbers[1], bands: numbers[2], bits: numbers[3], hasAlpha: numbers[4] == 1,
      to: (numbers[5], numbers[6]), kernel)
  }
}
