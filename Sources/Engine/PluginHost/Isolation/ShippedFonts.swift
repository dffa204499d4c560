import ImageCore
import Platform

/// The fonts of the portable files. Packages leave fonts to the system.
package enum ShippedFonts {
  /// `../share/imghost/fonts` of the program's folder; empty where the system does not say what that is.
  static let folder: String = {
    guard let program = ownProgramFile, let folder = PathName.folder(program) else { return "" }
    return (PathName.folder(String(folder)).map(String.init) ?? "") + "/share/imghost/fonts"
  }()

  /// The variable that leads fontconfig to a configuration.
  private static let variable = "FONTCONFIG_FILE"
  private static let configuration = folder + "/fonts.conf"

  /// Adds these fonts to fontconfig's, which are the system's and the user's, unless the user has chosen a configuration.
  package static func use() {
    guard access(configuration, R_OK) == 0, getenv("FONTCONFIG_PATH") == nil else { return }
    _ = PathBytes.withBytes(of: configuration) { setenv(variable, $0, 0) }
  }

  /// `NAME=value` for workers, which may read this folder and no configuration elsewhere; nil where it is not used.
  static var assignment: String? {
    guard let chosen = getenv(variable), PathBytes.text(chosen) == configuration else { return nil }
    return variable + "=" + configuration
  }
}
