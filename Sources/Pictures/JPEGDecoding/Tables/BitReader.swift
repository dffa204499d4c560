/// Reads bits, from the highest of each byte to the lowest (T.81, F.2.2.5), from bytes without stuffing.
///
/// Eight bytes are loaded at once, and the bits that fit are kept: Fabian Giesen, "Reading bits in far too many ways",
/// part 2, variant 4 (fgiesen.wordpress.com, 2018).
///
/// It is inlined into the kernels of each instruction set, but declared outside of them, because a type's metadata are
/// weak symbols. `EntropyState` describes its fields.
public struct BitReader {
  public var bits: UInt64
  public var count: Int
  public var next: UnsafeRawPointer

  @inlinable @inline(__always)
  public init(_ state: UnsafePointer<EntropyState>) {
    bits = state.pointee.bits
    count = state.pointee.count
    next = state.pointee.next
  }

  @inlinable @inline(__always)
  public func save(_ state: UnsafeMutablePointer<EntropyState>) {
    state.pointee.bits = bits
    state.pointee.count = count
    state.pointee.next = next
  }

  /// Loads bytes until at least 56 bits are loaded.
  @inlinable @inline(__always)
  public mutating func refill() {
    let word = UInt64(bigEndian: next.loadUnaligned(as: UInt64.self))
    bits |= word &>> UInt64(truncatingIfNeeded: count)
    next += (63 &- count) &>> 3
    count |= 56
  }

  /// Returns the next `width` bits, at least one, as an index.
  @inlinable @inline(__always)
  public func peek(_ width: Int) -> Int {
    Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
  }

  /// Consumes `length & 63` bits. Bits 6 and 7 of `length` must be 0; higher ones are ignored.
  @inlinable @inline(__always)
  public mutating func take(_ length: UInt64) {
    bits = bits &<< length
    count &-= Int(truncatingIfNeeded: length & 0xff)
  }

  /// Puts back the last `length` consumed bits.
  @inlinable @inline(__always)
  public mutating func giveBack(_ length: Int, _ start: UnsafeRawPointer) {
    let position = (next - start) &* 8 &- count &- length
    next = start + position &>> 3
    bits = 0
    count = 0
    refill()
    take(UInt64(truncatingIfNeeded: position & 7))
  }

  /// Consumes the next `size` bits, 0 to 15, and returns their value: T.81, F.2.2.1, RECEIVE and EXTEND.
  @inlinable @inline(__always)
  public mutating func coefficient(_ size: Int) -> Int {
    // Two shifts are needed, because `size` may be 0.
    let extra = Int(truncatingIfNeeded: (bits &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
    let negative = bits &>> 63 == 0
    take(UInt64(truncatingIfNeeded: size))
    return negative ? extra &- (1 &<< size) &+ 1 : extra
  }

  /// Consumes the next code, and returns its symbol from the table of `HuffmanCode.writeSearch`; -1 for an invalid
  /// code.
  @inlinable @inline(__always)
  public mutating func symbol(_ search: UnsafeRawPointer) -> Int {
    let code = peek(16)
    var length = 1
    while length <= 16 {
      let end = search.load(fromByteOffset: length &* 4, as: UInt32.self)
      if code < Int(truncatingIfNeeded: end) { break }
      length &+= 1
    }
    if length > 16 { return -1 }
    let offset = Int(search.load(fromByteOffset: 68 &+ length &* 4, as: Int32.self))
    take(UInt64(truncatingIfNeeded: length))
    let index = (code &>> (16 &- length)) &+ offset
    return Int(search.load(fromByteOffset: 136 &+ index, as: UInt8.self))
  }
}
