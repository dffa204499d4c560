/// The ways to combine two pictures: the operators of Porter and Duff and the separable blend modes.
///
/// The names are those of CSS and of sharp (the Node.js library). The source is the picture on top, the backdrop the
/// one below.
package enum BlendMode: String, CaseIterable, Sendable {
  case clear
  case source
  case over
  case `in`
  case out
  case atop
  case dest
  case destOver = "dest-over"
  case destIn = "dest-in"
  case destOut = "dest-out"
  case destAtop = "dest-atop"
  case xor
  case add
  case saturate
  case multiply
  case screen
  case overlay
  case darken
  case lighten
  case colorDodge = "color-dodge"
  case colorBurn = "color-burn"
  case hardLight = "hard-light"
  case softLight = "soft-light"
  case difference
  case exclusion

  /// Whether an opaque backdrop can become transparent in places.
  package var canRemove: Bool {
    switch self {
    case .clear, .source, .in, .out, .destIn, .destOut, .destAtop, .xor: true
    default: false
    }
  }

  /// Whether the backdrop disappears where the source is transparent, and therefore also outside the source.
  package var clearsOutside: Bool {
    switch self {
    case .clear, .source, .in, .out, .destIn, .destAtop: true
    default: false
    }
  }
}

/// The function B(cb, cs) of a separable blend mode: W3C Compositing and Blending Level 1, section 10.1
/// (https://www.w3.org/TR/compositing-1/#blendingseparable). Colours range from 0 to 1 and are not premultiplied.
protocol BlendFunction {
  static func blend(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float>
}

typealias Colours = SIMD4<Float>

enum Multiply: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours { backdrop * source }
}

enum Screen: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours { backdrop + source - backdrop * source }
}

enum HardLight: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours {
    Screen.blend(backdrop, source + source - 1)
      .replacing(with: Multiply.blend(backdrop, source + source), where: source .<= 0.5)
  }
}

enum Overlay: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours { HardLight.blend(source, backdrop) }
}

enum Darken: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours { pointwiseMin(backdrop, source) }
}

enum Lighten: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours { pointwiseMax(backdrop, source) }
}

enum ColorDodge: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours {
    pointwiseMin(Colours(repeating: 1), backdrop / (1 - source))
      .replacing(with: 1, where: source .>= 1)
      .replacing(with: 0, where: backdrop .<= 0)
  }
}

enum ColorBurn: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours {
    (1 - pointwiseMin(Colours(repeating: 1), (1 - backdrop) / source))
      .replacing(with: 0, where: source .<= 0)
      .replacing(with: 1, where: backdrop .>= 1)
  }
}

enum SoftLight: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours {
    let curve = backdrop.squareRoot()
      .replacing(with: ((16 * backdrop - 12) * backdrop + 4) * backdrop, where: backdrop .<= 0.25)
    let strength = source + source - 1
    return (backdrop + strength * (curve - backdrop))
      .replacing(with: backdrop + strength * backdrop * (1 - backdrop), where: source .<= 0.5)
  }
}

enum Difference: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours {
    pointwiseMax(backdrop, source) - pointwiseMin(backdrop, source)
  }
}

enum Exclusion: BlendFunction {
  @inline(__always)
  static func blend(_ backdrop: Colours, _ source: Colours) -> Colours {
    backdrop + source - 2 * backdrop * source
  }
}
