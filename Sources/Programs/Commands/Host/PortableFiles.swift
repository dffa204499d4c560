import Platform
import PluginHost

/// The portable distribution: imghost with all files that it needs in its own folders.
package enum PortableFiles {
  /// Makes libraries use these files. Does nothing if imghost uses the files of the system.
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
    // If that fails, the functions that need no library still work.
  }
}
