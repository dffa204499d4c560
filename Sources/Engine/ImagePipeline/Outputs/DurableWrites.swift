import ImageCore
import Platform
import Synchronization

/// The switch for `--durable`. If it is on, the run waits until files and their folders are on the disk.
///
/// The switch applies to the whole process, because it must cover all files that a run completes, including records and
/// manifests.
package enum DurableWrites {
  private static let isSet = Atomic(false)
  private static let queue = SyncQueue()

  static var isOn: Bool { isSet.load(ordering: .relaxed) }

  /// Turns the switch on. Called before the first file is created.
  package static func turnOn() { isSet.store(true, ordering: .relaxed) }

  /// Waits until files and folders are on the disk; does nothing without `--durable`. Returns 0 or the value of
  /// `errno`.
  package static func wait(for descriptors: [Int32]) -> Int32 { isOn ? queue.wait(for: descriptors) : 0 }

  /// Waits until the name of a file and the names of its parent folders are on the disk; does nothing without
  /// `--durable`.
  package static func waitForName(_ path: String) throws(FileError) {
    guard isOn else { return }
    let place = InternedPath(realPathOf: path)
    try OutputFolder.open(place.folderPath, for: path).sync(for: path)
  }
}
