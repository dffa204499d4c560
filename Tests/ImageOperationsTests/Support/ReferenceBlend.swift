/// Compositing in double precision for one band, from the text of W3C Compositing and Blending Level 1
/// (https://www.w3.org/TR/compositing-1/) and, for `saturate`, https://www.cairographics.org/operators.
enum ReferenceBlend {
  /// The colour, not premultiplied, and the alpha.
  static func composite(_ mode: String, source cs: Double, _ αs: Double, backdrop cb: Double, _ αb: Double) -> (
    colour: Double, alpha: Double
  ) {
    if mode == "saturate" {
      let alpha = min(1, αs + αb)
      return (alpha == 0 ? 0 : (min(αs, 1 - αb) * cs + αb * cb) / alpha, alpha)
    }
    let fractions: [String: (Double, Double)] = [
      "clear": (0, 0), "source": (1, 0), "dest": (0, 1), "over": (1, 1 - αs),
      "dest-over": (1 - αb, 1), "in": (αb, 0), "dest-in": (0, αs), "out": (1 - αb, 0),
      "dest-out": (0, 1 - αs), "atop": (αb, 1 - αs), "dest-atop": (1 - αb, αs),
      "xor": (1 - αb, 1 - αs), "add": (1, 1),
    ]
    let (fa, fb) = fractions[mode] ?? (1, 1 - αs)
    let mixed = fractions[mode] == nil ? (1 - αb) * cs + αb * blend(mode, cb, cs) : cs
    let alpha = min(1, αs * fa + αb * fb)
    let colour = αs * fa * mixed + αb * fb * cb
    return (alpha == 0 ? 0 : colour / alpha, alpha)
  }

  private static func blend(_ mode: String, _ cb: Double, _ cs: Double) -> Double {
    switch mode {
    case "multiply": return cb * cs
    case "screen": return cb + cs - cb * cs
    case "overlay": return blend("hard-light", cs, cb)
    case "darken": return min(cb, cs)
    case "lighten": return max(cb, cs)
    case "color-dodge": return cb == 0 ? 0 : cs == 1 ? 1 : min(1, cb / (1 - cs))
    case "color-burn": return cb == 1 ? 1 : cs == 0 ? 0 : 1 - min(1, (1 - cb) / cs)
    case "hard-light":
      return cs <= 0.5 ? blend("multiply", cb, 2 * cs) : blend("screen", cb, 2 * cs - 1)
    case "soft-light":
      if cs <= 0.5 { return cb - (1 - 2 * cs) * cb * (1 - cb) }
      let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
      return cb + (2 * cs - 1) * (d - cb)
    case "difference": return abs(cb - cs)
    case "exclusion": return cb + cs - 2 * cb * cs
    default: preconditionFailure("no such mode: \(mode)")
    }
  }
}
