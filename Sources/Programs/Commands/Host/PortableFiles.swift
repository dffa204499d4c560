import Platform
import PluginHost

/// The portable files: an imghost with everything that it needs in folders of its own.
package enum PortableFiles {
  /// Leads libraries to those files; does nothing in an imghost that uses the system's.
  package static func use() {
    ShippedFonts.use()
    if !hasProcessFiles { startAgain() }
  }

  /// Starts the program again with its place in the variable that the dynamic linker reads where `/proc` is not mounted:
  /// otherwise it finds no library near the program; ld.so(8), "LD_ORIGIN_PATH".
  private static func startAgain() {
    guard getenv("LD_ORIGIN_PATH") == nil, let program = ownProgramFile,
      access(Executable.libraryFolder + "/lib", F_OK) == 0
    else { return }
    _ = PathBytes.withBytes(of: Executable.folder) { setenv("LD_ORIGIN_PATH", $0, 1) }
    execProgram(program, commandWords)
    // If that fails, what needs no library still works.
  }
}
