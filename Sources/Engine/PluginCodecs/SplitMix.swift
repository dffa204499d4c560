/// The random number generator SplitMix64 (Steele, Lea, Flood 2014), with the same sequence on every run.
struct SplitMix {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  /// Returns a number from 0 to `limit - 1`.
  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((z ^ (z >> 31)) % UInt64(max(limit, 1)))
  }
}
