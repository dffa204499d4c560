import Foundation

/// The locations of the programs, the sources and the pictures, derived from the location of the test program.
enum Built {
  /// The folder that contains the test program and the programs under test: `.build/…/debug`.
  static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  /// The folder of the checkout, derived from the path of this file.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  static let scripts = root + "/Scripts"
  /// The sample photographs that ship in the project.
  static let photos = scripts + "/photos"

  /// The cache folder for programs under test, next to them, so that no test uses the user's cache. All test programs
  /// that `Scripts/dev/test` runs at the same time share it; folders of earlier runs are removed.
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

/// Pictures that are not committed: in the folder `IMGHOST_SHARED`, or in a folder `shared` next to the checkout or one
/// of its parents. Tests that need them are skipped if there is no such folder.
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
