/// The splitmix64 generator (https://prng.di.unimi.it/splitmix64.c): the same damage on every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64 = 20_261_121

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
