/// The splitmix64 generator of Steele, Lea and Flood (https://prng.di.unimi.it/splitmix64.c): the same numbers on
/// every run and every machine.
@frozen public struct SplitMix: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  @inlinable public init(_ seed: some BinaryInteger) {
    state = UInt64(truncatingIfNeeded: seed)
  }

  @inlinable public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Returns a number from 0 to below `bound`.
  @inlinable public mutating func below(_ bound: Int) -> Int { Int(next() >> 1) % bound }

  /// Returns true in `percent` of a hundred cases.
  @inlinable public mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
