/// The image plugins that ship with imghost, for messages where their files are missing.
enum ShippedPlugins {
  /// The files by the names of their plugins.
  private static let files = [
    "duotone": "duotone.lua", "film_grain": "libFilmGrainPlugin.so", "halftone": "libHalftonePlugin.so",
    "luma_sharpen": "libLumaSharpenPlugin.so", "mask_blend": "libMaskBlendPlugin.so",
    "test_card": "libTestCardPlugin.so", "vignette": "libVignettePlugin.so",
  ]

  /// Returns what to install for a plugin that was not found; nil for one that does not ship with imghost.
  static func remedy(_ name: String) -> String? {
    files[name].map {
      "its file \($0) is missing; install the package imghost, or name the file's folder in IMGHOST_PLUGIN_PATH"
    }
  }
}
