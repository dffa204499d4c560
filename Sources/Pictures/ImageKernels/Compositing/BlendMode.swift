/// The ways to combine two pictures: the operators of Porter and Duff and the separable blend modes.
///
/// The names are those of sharp and CSS. The source is the picture on top, the backdrop the one below.
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
