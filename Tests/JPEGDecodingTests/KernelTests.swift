import ImageKernels
import JPEGTables
import TestSupport
import Testing

@testable import JPEGDecoding

/// Each instruction set gives the bytes of the plain loops.
@Suite struct KernelTests {
  static let sets = InstructionSet.supported

  /// Blocks of all kinds, up to coefficients larger than any that 8-bit samples have.
  @Test(arguments: sets, [8, 4, 2])
  func transforms(_ set: InstructionSet, _ size: Int) {
    var random = SplitMix(UInt64(size))
    for magnitude in [4, 100, 1000, 2047] {
      let count = 9
      var blocks = [Int16](repeating: 0, count: count * 64)
      var lasts = [UInt8](repeating: 63, count: count)
      for index in blocks.indices where random.below(3) == 0 {
        blocks[index] = Int16(random.below(2 * magnitude + 1) - magnitude)
      }
      // A block of DC only, which has its own way.
      for index in 1..<64 { blocks[64 + index] = 0 }
      lasts[1] = 0
      let stride = count * size + 3
      func run(_ transform: JPEGKernels.Transform) -> [UInt8] {
        var output = [UInt8](repeating: 77, count: stride * size + 64)
        output.withUnsafeMutableBytes { transform(blocks, lasts, count, $0.baseAddress!, stride) }
        return output
      }
      func transform(_ kernels: JPEGKernels) -> JPEGKernels.Transform {
        size == 8 ? kernels.inverseDCT8 : size == 4 ? kernels.inverseDCT4 : kernels.inverseDCT2
      }
      #expect(
        run(transform(JPEGKernels(set))) == run(transform(JPEGKernels(.portable))),
        "\(set) \(size) \(magnitude)")
    }
  }

  /// The inverse DCT by its definition, T.81, A.3.3, in floating point: at most one level off.
  @Test(arguments: sets)
  func transformIsTheInverseDCT(_ set: InstructionSet) {
    var random = SplitMix(5)
    for _ in 0..<50 {
      var block = [Int16](repeating: 0, count: 64)
      for index in block.indices where random.below(4) == 0 { block[index] = Int16(random.below(241) - 120) }
      var output = [UInt8](repeating: 0, count: 64)
      output.withUnsafeMutableBytes {
        JPEGKernels(set).inverseDCT8(block, [63], 1, $0.baseAddress!, 8)
      }
      for (index, sample) in output.enumerated() {
        let expected = min(max(inverseDCT(block, index % 8, index / 8) + 128, 0), 255)
        #expect(abs(Double(sample) - expected) <= 1)
      }
    }
  }

  @Test(arguments: sets)
  func coloursAreJFIFs(_ set: InstructionSet) {
    // All of Cb and Cr at some Y, in rows with an odd end.
    for y in [0, 1, 100, 128, 254, 255] {
      for cb in 0..<256 {
        let cbs = [UInt8](repeating: UInt8(cb), count: 300)
        let crs = (0..<300).map { UInt8($0 & 255) }
        let ys = [UInt8](repeating: UInt8(y), count: 300)
        var pixels = [UInt8](repeating: 0, count: 261 * 3)
        JPEGKernels(set).convertYCC(ys, cbs, crs, 261, &pixels)
        #expect(pixels == JPEGKernelsReference.pixels(y, cb, crs[..<261]), "\(set) \(y) \(cb)")
      }
    }
  }

  /// Weights 3 and 1, over 4 and 16, rounded up and down in turn.
  @Test(arguments: sets, [3, 4, 31, 64, 65])
  func upsampling(_ set: InstructionSet, _ count: Int) {
    var random = SplitMix(UInt64(count))
    let near = (0..<count).map { _ in UInt8(random.below(256)) }
    let far = (0..<count).map { _ in UInt8(random.below(256)) }
    func at(_ row: [Int], _ index: Int) -> Int { row[min(max(index, 0), count - 1)] }
    let kernels = JPEGKernels(set)
    var doubled = [UInt8](repeating: 0, count: 2 * count)
    let padded = [near[0]] + near + [near[count - 1]]
    padded.withUnsafeBufferPointer { kernels.doubleRow($0.baseAddress! + 1, count, &doubled) }
    let single = near.map(Int.init)
    for index in 0..<count {
      #expect(Int(doubled[2 * index]) == (3 * single[index] + at(single, index - 1) + 1) / 4)
      #expect(Int(doubled[2 * index + 1]) == (3 * single[index] + at(single, index + 1) + 2) / 4)
    }
    for bias in 1...2 {
      kernels.mixRows(near, far, UInt16(bias), count, &doubled)
      for index in 0..<count {
        #expect(Int(doubled[index]) == (3 * Int(near[index]) + Int(far[index]) + bias) / 4)
      }
    }
    var sums = [UInt16](repeating: 0, count: count + 2)
    kernels.doubleRows(near, far, count, &sums, &doubled)
    let both = zip(near, far).map { 3 * Int($0) + Int($1) }
    for index in 0..<count {
      #expect(Int(doubled[2 * index]) == (3 * both[index] + at(both, index - 1) + 8) / 16)
      #expect(Int(doubled[2 * index + 1]) == (3 * both[index] + at(both, index + 1) + 7) / 16)
    }
  }

  private func inverseDCT(_ block: [Int16], _ x: Int, _ y: Int) -> Double {
    var sum = 0.0
    for v in 0..<8 {
      for u in 0..<8 {
        let scale = (u == 0 ? 0.5.squareRoot() : 1) * (v == 0 ? 0.5.squareRoot() : 1)
        sum += scale * Double(block[v * 8 + u]) * cosine(x, u) * cosine(y, v)
      }
    }
    return sum / 4
  }

  private func cosine(_ place: Int, _ frequency: Int) -> Double {
    // cos(k π / 16) by symmetry from the first quarter.
    let quarter = [
      1, 0.980785280403230, 0.923879532511287, 0.831469612302545, 0.707106781186548,
      0.555570233019602, 0.382683432365090, 0.195090322016128, 0,
    ]
    let angle = (2 * place + 1) * frequency % 32
    let mirrored = angle > 16 ? 32 - angle : angle
    return mirrored > 8 ? -quarter[16 - mirrored] : quarter[mirrored]
  }
}

enum JPEGKernelsReference {
  /// R = Y + 1.402 (Cr - 128), G = Y - 0.34414 (Cb - 128) - 0.71414 (Cr - 128), B = Y + 1.772 (Cb - 128), with
  /// factors in 65536ths and halves rounded up.
  static func pixels(_ y: Int, _ cb: Int, _ crs: ArraySlice<UInt8>) -> [UInt8] {
    func byte(_ fraction: Int) -> UInt8 { UInt8(clamping: y + (fraction + 32768) >> 16) }
    return crs.flatMap { cr in
      let red = Int(cr) - 128
      return [byte(91881 * red), byte(-22554 * (cb - 128) - 46802 * red), byte(116130 * (cb - 128))]
    }
  }
}
