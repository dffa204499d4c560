/// The inverse transforms as plain loops: the reference for the SIMD versions, which document formulas and sources.
enum PortableTransforms {
  static func inverseDCT8(
    _ blocks: UnsafeRawPointer, _ lasts: UnsafePointer<UInt8>, _ count: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int
  ) {
    transform(blocks, count, output, stride, size: 8) { part, x, shift in
      let e2 = part(x, 2, 4433) &+ part(x, 6, 4433 - 15137)
      let e3 = part(x, 2, 4433 + 6270) &+ part(x, 6, 4433)
      let e0 = (x[0] &+ x[4]) &<< 13
      let e1 = (x[0] &- x[4]) &<< 13
      let s3 = x[7] &+ x[3]
      let s4 = x[5] &+ x[1]
      let z3 = s3 &* (9633 - 16069) &+ s4 &* 9633
      let z4 = s3 &* 9633 &+ s4 &* (9633 - 3196)
      let o0 = part(x, 7, 2446 - 7373) &+ part(x, 1, -7373) &+ z3
      let o3 = part(x, 7, -7373) &+ part(x, 1, 12299 - 7373) &+ z4
      let o1 = part(x, 5, 16819 - 20995) &+ part(x, 3, -20995) &+ z4
      let o2 = part(x, 5, -20995) &+ part(x, 3, 25172 - 20995) &+ z3
      let even = [e0 &+ e3, e1 &+ e2, e1 &- e2, e0 &- e3]
      let odd = [o3, o2, o1, o0]
      return combine(even, odd, shift)
    }
  }

  static func inverseDCT4(
    _ blocks: UnsafeRawPointer, _ lasts: UnsafePointer<UInt8>, _ count: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int
  ) {
    transform(blocks, count, output, stride, size: 4) { part, x, shift in
      let e0 = x[0] &<< 14
      let e2 = part(x, 2, 15137) &+ part(x, 6, -6270)
      let o0 =
        part(x, 3, -17799) &+ part(x, 7, -1730) &+ part(x, 1, 8697) &+ part(x, 5, 11893)
      let o2 =
        part(x, 3, 7373) &+ part(x, 7, -4176) &+ part(x, 1, 20995) &+ part(x, 5, -4926)
      return combine([e0 &+ e2, e0 &- e2], [o2, o0], shift + 1)
    }
  }

  static func inverseDCT2(
    _ blocks: UnsafeRawPointer, _ lasts: UnsafePointer<UInt8>, _ count: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int
  ) {
    transform(blocks, count, output, stride, size: 2) { part, x, shift in
      let odd =
        part(x, 1, 29692) &+ part(x, 3, -10426) &+ part(x, 5, 6967) &+ part(x, 7, -5906)
      return combine([x[0] &<< 15], [odd], shift + 2)
    }
  }

  /// A function that multiplies a coefficient by a constant.
  private typealias Part = (_ x: [Int32], _ index: Int, _ factor: Int32) -> Int32

  /// Transforms the columns, then the rows of the result.
  private static func transform(
    _ blocks: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer, _ stride: Int, size: Int,
    _ pass: (_ part: Part, _ x: [Int32], _ shift: Int32) -> [Int32]
  ) {
    let part: Part = { x, index, factor in x[index] &* factor }
    for index in 0..<count {
      let block = (blocks + index * 128).assumingMemoryBound(to: Int16.self)
      let columns = (0..<8).map { column in
        pass(part, (0..<8).map { Int32(block[$0 * 8 + column]) }, 11)
      }
      for row in 0..<size {
        let samples = pass(part, columns.map { $0[row] }, 18)
        for (x, sample) in samples.enumerated() {
          let clamped = min(max(sample, -128), 127) + 128
          output.storeBytes(of: UInt8(clamped), toByteOffset: row * stride + index * size + x, as: UInt8.self)
        }
      }
    }
  }

  /// Returns the sums of the even and odd parts, followed by their differences in reverse order; rounded, and clamped
  /// to 16 bits.
  private static func combine(_ even: [Int32], _ odd: [Int32], _ shift: Int32) -> [Int32] {
    func rounded(_ sum: Int32) -> Int32 { min(max((sum &+ 1 &<< (shift - 1)) &>> shift, -32768), 32767) }
    let first = zip(even, odd).map { rounded($0 &+ $1) }
    let last = zip(even, odd).map { rounded($0 &- $1) }
    return first + last.reversed()
  }
}
