import CPluginABI
import OperationExport

/// Returns the plugin's description; nil if the host is too old. `MaskBlend` reads the parameters in this order.
@_cdecl("imghost_plugin_entry")
public func maskBlendEntry(
  _ hostVersion: UInt32, _ functions: UnsafePointer<imghost_host>?
) -> UnsafePointer<imghost_plugin>? {
  MaskBlend.plugin(
    hostVersion, functions, name: "mask_blend",
    summary: "Lays a second picture over the first where a third, the mask, is bright",
    flags: IMGHOST_FLAG_DETERMINISTIC | IMGHOST_FLAG_ANY_RGB | IMGHOST_FLAG_SCALES,
    inputs: 3, padding: SoftMask.reach(upTo: MaskBlend.maximumSoftness),
    parameters: [
      imghost_parameter(
        "opacity", IMGHOST_TYPE_FLOAT, 0...1, default: (1, 0, 0, 0),
        help: "How much of the second picture shows where the mask is white"),
      imghost_parameter(
        "invert", IMGHOST_TYPE_BOOL,
        help: "Shows the second picture where the mask is black instead"),
      imghost_parameter(
        "softness", IMGHOST_TYPE_FLOAT, 0...MaskBlend.maximumSoftness,
        unit: "px", help: "Blurs the mask: about the gaussian's standard deviation"),
      imghost_parameter(
        "space", IMGHOST_TYPE_ENUM, choices: ["encoded", "linear"],
        help: "How samples are mixed: as they are, or as light (of sRGB)"),
    ])
}
