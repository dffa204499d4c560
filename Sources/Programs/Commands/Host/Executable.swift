import ImageCore
import Platform

/// The location of this program and of the programs that are installed with it.
enum Executable {
  /// The folder of the running program, with links resolved.
  static let folder = ownProgramFile.map { String(PathName.folder($0) ?? "") } ?? "."

  /// Returns the path of a program in this program's folder.
  static func sibling(_ name: String) -> String { folder + "/" + name }

  /// Returns the path of a program that imghost starts, but users do not. It is in the same folder, or in
  /// `../lib/imghost`, where packages install it.
  static func companion(_ name: String) -> String {
    let installed = libraryFolder + "/" + name
    return access(sibling(name), F_OK) != 0 && access(installed, F_OK) == 0 ? installed : sibling(name)
  }

  /// The program that runs plugins and codecs.
  static let worker = companion("imghost-plugin-worker")

  /// The folder `../lib/imghost` relative to the program's folder, where packages install imghost's own files.
  static let libraryFolder = String(PathName.folder(folder) ?? "") + "/lib/imghost"

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
