import CExitCleanup
import ImageCore
import Platform
import Synchronization

/// A file under a temporary name, until it is complete.
///
/// Its writer locks it with `flock(2)` while it has that name. The system releases the lock when the process ends,
/// however it ends. A file without a lock therefore belongs to a dead run.
package struct TemporaryFile: Sendable {
  let folder: OutputFolder
  let name: String
  package let descriptor: Int32
  private let entry: Entry

  /// The entry that lets C code remove the file if a signal ends the process.
  ///
  /// `@unchecked Sendable`: the address is only passed back to C, once, when the file is renamed or removed.
  private struct Entry: @unchecked Sendable { let address: OpaquePointer }

  /// The path in the form of `PathBytes`.
  package var path: String { folder.path + "/" + name }

  /// Creates a file that is registered for removal from the moment when it exists.
  ///
  /// - Parameters:
  ///   - path: the path of the output file, for the error.
  ///   - mode: the file's permissions, before the process's mask is applied.
  init(in folder: OutputFolder, for path: String, mode: mode_t) throws(FileError) {
    self.folder = folder
    while true {
      let name = TemporaryName.make()
      var descriptor: Int32 = -1
      guard let entry = cexitcleanup_make_file(folder.descriptor, name, mode, &descriptor) else {
        if errno == EEXIST { continue }
        throw FileError(.create, path: path, code: errno)
      }
      // Another run that cleans up may lock and remove the file before this run locks it.
      var status = stat()
      let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
      guard isTaken || fstat(descriptor, &status) == 0 && status.st_nlink == 0 else {
        (self.name, self.descriptor, self.entry) = (name, descriptor, Entry(address: entry))
        return
      }
      unlinkat(folder.descriptor, name, 0)
      cexitcleanup_forget_file(entry)
      close(descriptor)
    }
  }

  /// Removes the file from its folder, but keeps the descriptor open.
  func unlink() { unlinkat(folder.descriptor, name, 0) }

  /// Stops C code from removing the file when the process ends. Called once.
  func forget() { cexitcleanup_forget_file(entry.address) }
}

/// Names of temporary files: `.imghost-`, eight digits that identify the machine and its current boot, and twelve
/// random digits. In a shard, which another machine may start again, the machine's digits follow eight digits that
/// identify the shard.
enum TemporaryName {
  private static let prefix = ".imghost-"
  private static let shard = Mutex<String?>(nil)

  /// Whether the files belong to a shard or a merge.
  static var isOfShard: Bool { shard.withLock { $0 != nil } }

  static func setShard(_ text: String) {
    let digits = digits(of: text)
    shard.withLock { $0 = digits }
  }

  static func make() -> String {
    let owner = shard.withLock { $0.map { $0 + "-" } ?? "" } + machine
    return prefix + owner + "-" + digits(UInt64.random(in: .min ... .max) >> 16, count: 12)
  }

  /// Returns whether a name is that of a temporary file, and whether a missing lock proves that the file's owner is
  /// dead. It is proof on the owner's machine, which sees the locks of its own processes, and in the owner's shard,
  /// because a shard is started again only after it has died.
  static func origin(of name: String) -> (isOurs: Bool, isKnown: Bool) {
    guard name.hasPrefix(prefix) else { return (false, false) }
    let parts = name.dropFirst(prefix.utf8.count).split(separator: "-", omittingEmptySubsequences: false)
    let lengths = parts.map(\.utf8.count)
    guard lengths == [8, 12] || lengths == [8, 8, 12],
      parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return (false, false) }
    let isOfThisShard = parts.count == 3 && shard.withLock { $0 == String(parts[0]) }
    return (true, isOfThisShard || parts[parts.count - 2] == machine)
  }

  private static func digits(_ number: UInt64, count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - text.count)) + String(text.suffix(count))
  }

  /// Eight digits that identify the machine and its current boot. Files with other digits come from other machines,
  /// whose locks may be invisible here, for example over NFS without its lock service.
  static let machine: String = {
    var text = ""
    let boot = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    if boot >= 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(boot, &bytes, bytes.count)
      text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      close(boot)
    } else {
      var name = [CChar](repeating: 0, count: 256)
      gethostname(&name, 255)
      text = PathBytes.text(name)
    }
    return digits(of: text)
  }()

  /// Returns the 32-bit FNV-1a hash of a text, as eight digits.
  private static func digits(of text: String) -> String {
    digits(UInt64(FNV.hash(text)), count: 8)
  }
}
