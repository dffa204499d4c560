import ImageCore
import Platform
import Synchronization

/// The switch of `--durable`: files, and the folders that name them, are on the disk before a run goes on.
///
/// It holds for the whole process, because each file that a run shows must be covered, records and manifests included.
package enum DurableWrites {
  private static let isSet = Atomic(false)
  private static let queue = SyncQueue()

  package static var isOn: Bool { isSet.load(ordering: .relaxed) }

  /// Called before the first file is made.
  package static func turnOn() { isSet.store(true, ordering: .relaxed) }

  /// Waits until files and folders are on the disk; does nothing unless the switch is set. Returns 0, or the value of
  /// `errno`.
  package static func wait(for descriptors: [Int32]) -> Int32 { isOn ? queue.wait(for: descriptors) : 0 }

  /// Waits until the name of a file, and those of the folders that lead to it, are on the disk; does nothing unless the
  /// switch is set.
  package static func waitForName(_ path: String) throws(FileError) {
    guard isOn else { return }
    let place = InternedPath(realPathOf: path)
    try OutputFolder.open(place.folderPath, for: path).sync(for: path)
  }
}
