import Synchronization

/// Work that takes processor time and nothing else.
enum Spinning {
  private static let lastSum = Atomic<UInt64>(0)

  /// Spins for a number of rounds. A million take about a millisecond.
  @inline(never)
  static func spin(_ rounds: Int) {
    // splitmix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    var state: UInt64 = 0
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      sum ^= z ^ (z >> 31)
    }
    // The compiler would remove a loop whose result is not used.
    lastSum.store(sum, ordering: .relaxed)
  }

  /// Returns the number of rounds that take a millisecond on an idle processor.
  static func roundsOfAMillisecond() -> Int {
    let rounds = 100_000
    var best = Int.max
    for _ in 0..<50 {
      let start = Clock.nanoseconds
      spin(rounds)
      best = min(best, Clock.nanoseconds - start)
    }
    return rounds * 1_000_000 / max(1, best)
  }
}
