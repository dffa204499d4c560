import ImageCore

/// The options of `book` that have no effect in a layout or without another option: for error messages and the help.
package enum OptionScope {
  /// The options that require another option, with an example of the required option.
  static let needs: [(option: String, other: String, example: String)] = [
    ("border_colour", "border", "border = 1"),
    ("shadow_colour", "shadow", "shadow = \"3mm\""),
    ("caption_background", "caption_position", "caption_position = \"over\""),
    ("cover_pages", "paper_thickness", "paper_thickness = \"0.11mm\""),
    ("paper_thickness", "cover_pages", "cover_pages = 80"),
  ]

  /// The options for text colours. These colours must be opaque, because the text may lie on a picture.
  static let opaque = ["caption_colour", "front_title_colour", "spine_text_colour"]

  /// The options for background colours of texts, which may be partly transparent.
  static let backgrounds = TextParameters.names.map { "\($0)_background" }

  /// Returns problems of options that have no effect, contradict each other, or give a transparent colour where it must
  /// be opaque.
  package static func problems(with arguments: Arguments) -> [OptionProblem] {
    let kind = LayoutKind(rawValue: arguments.text("layout"))!
    let given = Set(arguments.given.map(\.name))
    var problems = arguments.given.compactMap { option, _ in
      let layouts = LayoutKind.having(option)
      return layouts.contains(kind) ? nil : problem(option, layouts, kind, isGiven: given.contains("layout"))
    }
    let hasBook = given.contains("cover_of")
    let knowsPaper = given.contains("paper_thickness") || given.contains("binding")
    if hasBook, kind == .cover, !knowsPaper {
      problems.add(
        "cover_of",
        "needs paper_thickness = \"0.11mm\", here or in the book inside, or binding = \"hardcover\"; 0 means "
          + "no spine")
    }
    for (option, other, example) in needs where given.contains(option) {
      // In layouts other than `cover`, `paper_thickness` is passed on to the book's cover. `cover_pages` has an effect
      // if the thickness comes from the script, the binding or the book inside.
      let isKnown = hasBook || knowsPaper
      if option == "paper_thickness" && kind != .cover || option == "cover_pages" && isKnown { continue }
      let isThere = other == "caption_position" ? arguments.text(other) == "over" : given.contains(other)
      if !isThere { problems.add(option, "has no effect alone; add \(example)") }
    }
    // 'dpi' does not resize pictures that are alone on their pages.
    if given.contains("min_dpi"), let limit = ["max_dpi", "dpi"].first(where: given.contains),
      limit != "dpi" || kind != .single, arguments.number("min_dpi") > arguments.number(limit)
    {
      let (asked, left) = (arguments.number("min_dpi"), arguments.number(limit))
      problems.add(
        "min_dpi",
        "is \(ParameterValue.text(asked)), but '\(limit)' limits pictures to "
          + "\(ParameterValue.text(left)); raise '\(limit)'")
    }
    if given.contains("pages"), given.contains("row_height") {
      problems.add("pages", "and 'row_height' both decide how high rows are; leave one out")
    }
    for option in opaque where given.contains(option) {
      let alpha = arguments.colour(option).alpha
      if alpha < 1 {
        problems.add(
          option,
          "is \(alpha > 0 ? "partly " : "")transparent, and text must be opaque; "
            + "give an opaque colour")
      }
    }
    if let standard = arguments.optionalText("conformance").flatMap(Conformance.init), standard.isOpaque {
      for option in backgrounds where given.contains(option) {
        let alpha = arguments.colour(option).alpha
        guard alpha > 0, alpha < 1 else { continue }
        problems.add(
          option,
          "is partly transparent, which \(standard.name) does not allow; give an opaque colour, "
            + "or use \(standard.modern)")
      }
    }
    if given.contains("position"), kind != .auto, arguments.text("fit") != PageFit.cover.rawValue,
      arguments.boolean("reduce"), !given.contains("bleed")
    {
      let way = LayoutKind.having("fit").contains(kind) ? "'fit' to 'cover'" : "'bleed', for example to '3mm'"
      problems.add("position", "has no effect alone; set \(way)")
    }
    if given.contains("orientation"), kind == .single, arguments.text("paper").lowercased() == "picture" {
      problems.add(
        "orientation", "needs a paper, and pages are as large as their pictures; set 'paper', for example to 'a4'")
    }
    return problems
  }

  private static func problem(_ option: String, _ layouts: [LayoutKind], _ kind: LayoutKind, isGiven: Bool)
    -> OptionProblem
  {
    guard layouts.count <= 3 else {
      return OptionProblem(option, "has no effect in layout '\(kind.rawValue)'; leave it out")
    }
    let names = words(layouts.map { "'\($0.rawValue)'" })
    return OptionProblem(
      option,
      "is only for layout \(names)"
        + (isGiven ? ", but the layout is '\(kind.rawValue)'" : "; set 'layout' to '\(layouts[0].rawValue)'"))
  }

  /// Returns the parameters. If some layouts lack a parameter, its help names the layouts that have it, or those that
  /// lack it.
  static func withLayouts(_ parameters: [ParameterDescriptor]) -> [ParameterDescriptor] {
    parameters.map { parameter in
      let layouts = LayoutKind.having(parameter.name)
      let others = LayoutKind.allCases.filter { !layouts.contains($0) }
      guard !others.isEmpty else { return parameter }
      let scope =
        layouts.count <= 3
        ? "only in layout " + words(layouts.map(\.rawValue)) : "not in layout " + words(others.map(\.rawValue))
      return parameter.with(help: "\(parameter.help); \(scope)")
    }
  }

  /// Returns `a, b or c`.
  private static func words(_ names: [String]) -> String {
    names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + names.last!
  }
}
