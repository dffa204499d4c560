import CPluginABI
import OperationExport

/// Returns the plugin's description; nil if the host is too old. `FilmGrain` reads the parameters in this order.
@_cdecl("imghost_plugin_entry")
public func filmGrainEntry(
  _ hostVersion: UInt32, _ functions: UnsafePointer<imghost_host>?
) -> UnsafePointer<imghost_plugin>? {
  FilmGrain.plugin(
    hostVersion, functions, name: "film_grain",
    summary: "Adds the grain of film, weaker in highlights and shadows",
    flags: IMGHOST_FLAG_DETERMINISTIC | IMGHOST_FLAG_IN_PLACE | IMGHOST_FLAG_ANY_RGB,
    parameters: [
      imghost_parameter(
        "amount", IMGHOST_TYPE_FLOAT, 0...1, default: (0.3, 0, 0, 0),
        help: "How strong the grain is in the middle tones"),
      imghost_parameter(
        "size", IMGHOST_TYPE_FLOAT, 1...20, default: (1.5, 0, 0, 0), unit: "px",
        help: "Distance from grain to grain"),
      imghost_parameter(
        "colour", IMGHOST_TYPE_FLOAT, 0...1, default: (0.2, 0, 0, 0),
        help: "0 is the grain of black-and-white film, 1 has each band its own"),
      imghost_parameter(
        "seed", IMGHOST_TYPE_INT, 0...1_000_000_000, default: (1, 0, 0, 0),
        help: "Which grain; the same number gives the same grain"),
    ])
}
