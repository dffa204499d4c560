import Platform
import Synchronization

/// Limits the memory that all threads together use for rendering, and the megapixels of the large pictures that they
/// render at one time.
final class PixelBudget: Sendable {
  private let used = Mutex((megapixels: 0, bytes: 0))
  /// The memory for all pages that are checked at one time, and for any single page.
  private let limits: MemoryLimits
  /// The maximum number of megapixels of large pictures that are rendered at one time, which take half a gigabyte. A
  /// larger picture is rendered only while no other large picture is.
  private static let mostMegapixels = 128
  /// The number of megapixels from which a picture counts as large.
  private static let few = 32

  init(_ limits: MemoryLimits) { self.limits = limits }

  /// The part of the budget that a page has taken.
  struct Share {
    fileprivate let megapixels: Int
    fileprivate let bytes: Int
  }

  /// Waits until the page's share is available.
  ///
  /// - Returns: the share to give back; nil if waiting was abandoned.
  func take(_ cost: PageCost, orGiveUp hasGivenUp: () -> Bool) -> Share? {
    // A page that exceeds the whole budget takes nothing, because it is not rendered.
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
