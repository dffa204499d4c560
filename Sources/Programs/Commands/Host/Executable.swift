import ImageCore
import Platform
import PluginHost

/// The location of this program and of the programs that are installed with it.
enum Executable {
  /// The folder of the running program, with links resolved.
  static let folder = ownProgramFile.map { String(PathName.folder($0) ?? "") } ?? "."

  static func sibling(_ name: String) -> String { folder + "/" + name }

  /// Returns the path of a program that imghost starts, but users do not. That program is in imghost's folder, or in
  /// `../lib/imghost`, where packages install it.
  static func companion(_ name: String) -> String {
    let installed = libraryFolder + "/" + name
    return access(sibling(name), F_OK) != 0 && access(installed, F_OK) == 0 ? installed : sibling(name)
  }

  static let worker = companion("imghost-plugin-worker")

  /// The folder `../lib/imghost` relative to the program's folder, where packages install imghost's own files.
  static let libraryFolder = String(PathName.folder(folder) ?? "") + "/lib/imghost"

  static func environment(_ name: String) -> String? { getenv(name).map { PathBytes.text($0) } }
}

/// The portable distribution: imghost with all files that it needs in its own folders.
package enum PortableFiles {
  /// Makes libraries use the distribution's files; may start the program again for this purpose. Does nothing if
  /// imghost uses the files of the system.
  package static func use() {
    ShippedFonts.use()
    if !hasProcessFiles { startAgain() }
  }

  /// Starts the program again with its folder in `LD_ORIGIN_PATH`. The dynamic linker reads this variable if `/proc` is
  /// not mounted; without it, the linker finds no library relative to the program. See ld.so(8).
  private static func startAgain() {
    guard getenv("LD_ORIGIN_PATH") == nil, let program = ownProgramFile,
      access(Executable.libraryFolder + "/lib", F_OK) == 0
    else { return }
    _ = PathBytes.withBytes(of: Executable.folder) { setenv("LD_ORIGIN_PATH", $0, 1) }
    execProgram(program, commandWords)
    // If the program cannot be started again, the functions that need no library still work.
  }
}
