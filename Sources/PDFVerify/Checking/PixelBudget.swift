import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps threads from rendering large pictures side by side: poppler takes four bytes a pixel of each.
final class PixelBudget: Sendable {
  private let used = Mutex(0)
  /// Megapixels that are worked on at a time, but for a single picture of more: half a gigabyte.
  private static let most = 128
  /// Smaller ones are not counted.
  private static let few = 32

  /// Waits for its turn.
  ///
  /// - Parameter megapixels: of a page's largest picture.
  /// - Returns: what is to be given back; nil where waiting was given up.
  func take(_ megapixels: Int, orGiveUp hasGivenUp: () -> Bool) -> Int? {
    guard megapixels >= Self.few else { return 0 }
    while !hasGivenUp() {
      let isFree = used.withLock { used in
        guard used == 0 || used + megapixels <= Self.most else { return false }
        used += megapixels
        return true
      }
      if isFree { return megapixels }
      usleep(5_000)
    }
    return nil
  }

  func giveBack(_ megapixels: Int) { used.withLock { $0 -= megapixels } }
}
