import CPluginABI
import OperationExport

/// Returns the plugin's description; nil if the host is too old. `Vignette` reads the parameters in this order.
@_cdecl("imghost_plugin_entry")
public func vignetteEntry(
  _ hostVersion: UInt32, _ functions: UnsafePointer<imghost_host>?
) -> UnsafePointer<imghost_plugin>? {
  Vignette.plugin(
    hostVersion, functions, name: "vignette",
    summary: "Darkens a picture towards its edges, or fades it to a colour",
    flags: IMGHOST_FLAG_DETERMINISTIC | IMGHOST_FLAG_IN_PLACE | IMGHOST_FLAG_ANY_RGB | IMGHOST_FLAG_SCALES,
    parameters: [
      imghost_parameter(
        "strength", IMGHOST_TYPE_FLOAT, 0...1, default: (0.5, 0, 0, 0),
        help: "How far the edges go towards the colour"),
      imghost_parameter(
        "radius", IMGHOST_TYPE_FLOAT, 0...2, default: (0.4, 0, 0, 0),
        help: "Where it begins: 0 at the centre, 1 in the corners"),
      imghost_parameter(
        "softness", IMGHOST_TYPE_FLOAT, 0.001...2, default: (0.6, 0, 0, 0),
        help: "Width of the transition, on the scale of the radius"),
      imghost_parameter(
        "roundness", IMGHOST_TYPE_FLOAT, 0...1,
        help: "0 follows the picture's shape, 1 is a circle"),
      imghost_parameter(
        "colour", IMGHOST_TYPE_COLOUR, default: (0, 0, 0, 1),
        help: "What the edges go towards; white gives a faded print"),
      imghost_parameter(
        "centre", IMGHOST_TYPE_POINT, -1...2, default: (0.5, 0.5, 0, 0), unit: "of the size",
        help: "The middle of the bright part"),
    ])
}
