import ImageCore

/// Where options of `book` have a meaning: in which layouts, and beside which other options. One table, from
/// which mistakes are told and help is made.
public enum OptionScope {
  private static let notCover = LayoutKind.allCases.filter { $0 != .cover }
  /// Those in which a picture's place does not follow from its proportions.
  private static let framing: [LayoutKind] = [.single, .grid, .spread, .cover]

  /// Options that do something in these layouts only.
  static let layouts: [(option: String, layouts: [LayoutKind])] = [
    ("rows", [.grid]),
    ("columns", [.grid, .masonry]),
    ("cell", [.grid]),
    ("balance", [.grid]),
    ("gutter", [.grid, .justified, .masonry]),
    ("row_height", [.justified]),
    ("fit", framing),
    ("enlarge", framing + [.masonry]),
    ("reduce", framing + [.masonry]),
    ("first_page", [.spread]),
    ("cover_pages", [.cover]),
    ("cover_thickness", [.cover]),
    ("cover_of", [.cover]),
    ("page_multiple", notCover),
    ("title_page", notCover),
    ("front_title", [.cover]),
  ]

  /// Options that do something beside another one only, and how that is written.
  static let needs: [(option: String, other: String, example: String)] = [
    ("border_colour", "border", "border = 1"),
    ("caption_background", "caption_position", "caption_position = \"over\""),
    ("cover_pages", "paper_thickness", "paper_thickness = \"0.11mm\""),
    ("paper_thickness", "cover_pages", "cover_pages = 80"),
  ]

  /// Options of which the first cannot be met where one of the others is less: all in the same unit.
  static let limits: [(least: String, most: [String])] = [("min_dpi", ["max_dpi", "dpi"])]

  /// Colours of letters that may lie over pictures, where what is partly transparent cannot be mixed with paper.
  static let opaque = ["caption_colour", "front_title_colour", "spine_text_colour"]

  /// Colours behind texts, which may be partly transparent.
  static let backgrounds = (TextParameters.names + ["caption"]).map { "\($0)_background" }

  /// What is given and would do nothing, or contradicts itself, a clause each.
  public static func problems(with arguments: Arguments) -> [String] {
    let kind = LayoutKind(rawValue: arguments.text("layout"))!
    let given = Set(arguments.given.map(\.name))
    var problems = layouts.compactMap { option, layouts in
      given.contains(option) && !layouts.contains(kind)
        ? problem(option, layouts, kind, isGiven: given.contains("layout")) : nil
    }
    let hasBook = given.contains("cover_of")
    if hasBook, kind == .cover, !given.contains("paper_thickness") {
      problems.append(
        "'cover_of' needs paper_thickness = \"0.11mm\", here or in the book inside; 0 is for no spine"
      )
    }
    for (option, other, example) in needs where given.contains(option) {
      // A book tells its cover.
      if option == "paper_thickness" && kind != .cover || option == "cover_pages" && hasBook {
        continue
      }
      let isThere =
        other == "caption_position" ? arguments.text(other) == "over" : given.contains(other)
      if !isThere { problems.append("'\(option)' does nothing by itself; add \(example)") }
    }
    // Only the first of the limits counts, and one a page nothing is resized to 'dpi'.
    for (least, most) in limits where given.contains(least) {
      guard let limit = most.first(where: given.contains), limit != "dpi" || kind != .single,
        arguments.number(least) > arguments.number(limit)
      else { continue }
      let (asked, left) = (arguments.number(least), arguments.number(limit))
      problems.append(
        "'\(least)' asks for \(ParameterValue.text(asked)), and '\(limit)' leaves "
          + "\(ParameterValue.text(left)); raise '\(limit)'")
    }
    for option in opaque where given.contains(option) {
      let alpha = arguments.colour(option).alpha
      if alpha < 1 {
        problems.append(
          "'\(option)' is \(alpha > 0 ? "partly " : "")transparent, which text on pages is not; "
            + "give a colour that hides what is behind it")
      }
    }
    if arguments.optionalText("conformance").flatMap(Conformance.init) == .pdfA1b {
      for option in backgrounds where given.contains(option) {
        let alpha = arguments.colour(option).alpha
        guard alpha > 0, alpha < 1 else { continue }
        problems.append(
          "'\(option)' is partly transparent, which PDF/A-1b does not allow; give a colour that hides what is "
            + "behind it, or use pdf/a-2b")
      }
    }
    if given.contains("position"), arguments.text("fit") != PageFit.cover.rawValue,
      arguments.boolean("reduce"), !given.contains("bleed")
    {
      let way = framing.contains(kind) ? "fit = \"cover\"" : "bleed = \"3mm\""
      problems.append("'position' does nothing by itself; add \(way)")
    }
    if given.contains("orientation"), kind == .single,
      arguments.text("paper").lowercased() == "picture"
    {
      problems.append(
        "'orientation' turns a paper, and pages are as large as their pictures; add paper = \"a4\"")
    }
    return problems
  }

  private static func problem(
    _ option: String, _ layouts: [LayoutKind], _ kind: LayoutKind, isGiven: Bool
  ) -> String {
    guard layouts.count <= 3 else {
      return "'\(option)' has no meaning in layout '\(kind.rawValue)'; leave it out"
    }
    let names = words(layouts.map { "'\($0.rawValue)'" })
    return "'\(option)' belongs to layout \(names)"
      + (isGiven
        ? ", and the layout is '\(kind.rawValue)'" : "; add layout = \"\(layouts[0].rawValue)\"")
  }

  /// Parameters with their layouts in the help.
  static func described(_ parameters: [ParameterDescriptor]) -> [ParameterDescriptor] {
    parameters.map { parameter in
      guard let row = layouts.first(where: { $0.option == parameter.name }) else {
        return parameter
      }
      let others = LayoutKind.allCases.filter { !row.layouts.contains($0) }
      let scope =
        row.layouts.count <= 3
        ? "layout " + words(row.layouts.map(\.rawValue))
        : "not in layout " + words(others.map(\.rawValue))
      return parameter.with(help: "\(parameter.help); \(scope)")
    }
  }

  /// `a, b or c`.
  private static func words(_ names: [String]) -> String {
    names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + names.last!
  }
}
