import Foundation

/// The places of the programs, the sources and the pictures, derived from the test program's own place.
enum Built {
  /// The folder of the test program, and of the programs it tests: `.build/…/debug`.
  static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  /// The checkout, from this file's place in it.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  static let scripts = root + "/Scripts"
  /// The sample photographs that ship in the project.
  static let photos = scripts + "/photos"

  /// The cache folder of programs under test, beside them. No test reads or writes the user's own. All test programs that
  /// `Scripts/dev/test` starts at one time share it; those of earlier runs are removed.
  static let cache: String = {
    let name = "end-to-end-cache-"
    for other in files(in: folder) where other.hasPrefix(name) {
      guard let owner = pid_t(other.dropFirst(name.count)), kill(owner, 0) != 0 else { continue }
      try? FileManager.default.removeItem(atPath: folder + "/" + other)
    }
    return "\(folder)/\(name)\(getppid())"
  }()

  static func program(_ name: String) -> String { folder + "/" + name }

  static func files(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  static let samples = files(in: photos).filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".png") }
}

/// Pictures that are not committed: `IMGHOST_SHARED`, or the folder `shared` beside a folder above the
/// checkout. Where there is none, its tests are skipped.
enum Shared {
  static let folder: String? = {
    let manager = FileManager.default
    if let given = ProcessInfo.processInfo.environment["IMGHOST_SHARED"] { return given }
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appendingPathComponent("shared").path
      if manager.fileExists(atPath: candidate + "/corpus") { return candidate }
    }
    return nil
  }()

  static func path(_ name: String) -> String { (folder ?? "/nowhere") + "/" + name }
}
