import CEmbeddedFiles

/// A family of templates, and the dimensions of its pages.
package struct DesignStyle: Sendable, Hashable {
  /// Distances as shares of the shorter side of a page.
  package struct Margins: Sendable, Hashable {
    package var top, bottom, inner, outer: Double

    package init(top: Double, bottom: Double, inner: Double, outer: Double) {
      (self.top, self.bottom, self.inner, self.outer) = (top, bottom, inner, outer)
    }
  }

  package var name: String
  package var summary: String
  package var margins: Margins
  /// The space between pictures, as a share of the shorter side of a page.
  package var gap: Double
  /// The typical number of pictures on a page of the style.
  package var picturesPerPage: Double
  /// The font sizes on an A4 page; `TypeScale.scaled(toSide:)` returns those for other sizes.
  package var type: TypeScale
  package var look: DesignLook
  package var templates: [PageTemplate]

  package init(
    name: String, summary: String = "", margins: Margins = Margins(top: 0.06, bottom: 0.06, inner: 0.06, outer: 0.06),
    gap: Double = 0.02, picturesPerPage: Double = 2.5, type: TypeScale = TypeScale(),
    look: DesignLook = DesignLook(), templates: [PageTemplate]
  ) {
    self.name = name
    self.summary = summary
    self.margins = margins
    self.gap = gap
    self.picturesPerPage = picturesPerPage
    self.type = type
    self.look = look
    self.templates = templates
  }

  /// The largest number of pictures on a page.
  var mostPictures: Int { templates.map(\.slots.count).max() ?? 1 }
}

extension DesignStyle {
  /// The names of the styles that ship with imghost, the default first. Each has a file in `Styles`, which
  /// `CEmbeddedFiles` embeds.
  package static let names = ["album", "magazine", "minimal", "contact"]

  /// Returns the text of a style's file, in Lua.
  ///
  /// - Parameter name: one of `names`.
  package static func source(named name: String) -> [UInt8] {
    var count = 0
    guard let bytes = imghost_embedded_file(name + ".lua", &count) else { preconditionFailure("no style \(name)") }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
