import Platform
import Synchronization

/// Keeps threads from rendering more side by side than memory allows, and large pictures at all.
final class PixelBudget: Sendable {
  private let used = Mutex((megapixels: 0, bytes: 0))
  /// The memory of all pages in work at a time; no page takes more.
  private let limits: MemoryLimits
  /// Megapixels of large pictures in work at a time, half a gigabyte; a single larger one is let through alone.
  private static let mostMegapixels = 128
  /// Megapixels from which a picture is large.
  private static let few = 32

  init(_ limits: MemoryLimits) { self.limits = limits }

  /// The part of the budget that a page has taken.
  struct Share {
    fileprivate let megapixels: Int
    fileprivate let bytes: Int
  }

  /// Waits for its turn.
  ///
  /// - Returns: the share to give back; nil where waiting was given up.
  func take(_ cost: PageCost, orGiveUp hasGivenUp: () -> Bool) -> Share? {
    // A page that takes more than all of it is not rendered.
    let bytes = cost.share(of: limits) ?? 0
    let largest = cost.megapixels.largest
    let share = Share(megapixels: largest >= Self.few && bytes > 0 ? largest : 0, bytes: bytes)
    while !hasGivenUp() {
      let isFree = used.withLock { used in
        let megapixels = used.megapixels + share.megapixels
        guard used.bytes + bytes <= limits.bytes,
          share.megapixels == 0 || used.megapixels == 0 || megapixels <= Self.mostMegapixels
        else { return false }
        used = (megapixels, used.bytes + bytes)
        return true
      }
      if isFree { return share }
      usleep(5_000)
    }
    return nil
  }

  func giveBack(_ share: Share) {
    used.withLock { $0 = ($0.megapixels - share.megapixels, $0.bytes - share.bytes) }
  }
}
