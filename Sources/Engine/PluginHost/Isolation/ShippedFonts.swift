import ImageCore
import Platform

/// The fonts of the portable distribution. Packages rely on the system's fonts.
package enum ShippedFonts {
  /// The folder `../share/imghost/fonts` relative to the program's folder; empty if that is unknown.
  static let folder: String = {
    guard let program = ownProgramFile, let folder = PathName.folder(program) else { return "" }
    return (PathName.folder(String(folder)).map(String.init) ?? "") + "/share/imghost/fonts"
  }()

  /// The variable that names fontconfig's configuration.
  private static let variable = "FONTCONFIG_FILE"
  private static let configuration = folder + "/fonts.conf"

  /// Adds the shipped fonts to those that fontconfig finds (the system's and the user's), unless the user has chosen a
  /// configuration.
  package static func use() {
    guard access(configuration, R_OK) == 0, getenv("FONTCONFIG_PATH") == nil else { return }
    _ = PathBytes.withBytes(of: configuration) { setenv(variable, $0, 0) }
  }

  /// The variable as `NAME=value`, for workers, which may read this folder but no configuration elsewhere; nil if the
  /// user has chosen another configuration, or there is none.
  static var assignment: String? {
    guard let chosen = getenv(variable), PathBytes.text(chosen) == configuration else { return nil }
    return variable + "=" + configuration
  }
}
