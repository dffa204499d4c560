import ImageCore
import Platform

/// The place of this program, and of the programs beside it.
enum Executable {
  /// The folder of the running program, without links.
  static let folder = ownProgramFile.map { String(PathName.folder($0) ?? "") } ?? "."

  /// The path of a program that is installed with this one.
  static func sibling(_ name: String) -> String { folder + "/" + name }

  /// The path of a program that imghost needs and that users do not start: beside this one, or in `../lib/imghost`, where
  /// packages put it.
  static func companion(_ name: String) -> String {
    let installed = libraryFolder + "/" + name
    return access(sibling(name), F_OK) != 0 && access(installed, F_OK) == 0 ? installed : sibling(name)
  }

  /// The program that runs plugins and codecs.
  static let worker = companion("imghost-plugin-worker")

  /// `../lib/imghost` of the program's folder, where packages put what belongs to imghost.
  static let libraryFolder = String(PathName.folder(folder) ?? "") + "/lib/imghost"

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
