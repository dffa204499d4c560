import ImageCore

/// The options of `book` that arrange pictures on pages and prepare pages for print.
public enum LayoutParameters {
  /// In the order help lists them.
  public static let all: [ParameterDescriptor] = [
    ParameterDescriptor(
      "layout", .choice(LayoutKind.allCases.map(\.rawValue)), default: .text("single"),
      help: "how pictures are arranged: one a page, in a grid, in rows, in columns, over two pages"),
    ParameterDescriptor(
      "rows", .integer(1...1_000), help: "rows of a grid; as many as fit if not given",
      synonyms: ["row", "down"]),
    ParameterDescriptor(
      "columns", .integer(1...1_000),
      help: "columns of a grid or of masonry; at most 3 if not given",
      synonyms: ["cols", "col", "column", "across"]),
    ParameterDescriptor(
      "cell", .lengths(1...2), help: "size of a grid's cells, as many as fit: '60mm' or '60mm 40mm'"
    ),
    ParameterDescriptor(
      "balance", .boolean, default: .boolean(true),
      help: "whether a nearly empty last page shares rows with the page before"),
    ParameterDescriptor(
      "gutter", .lengths(1...2), default: .text("0"),
      help: "space between cells: '4mm', or '6mm 4mm' between rows and between columns",
      synonyms: ["gap", "gaps", "spacing"]),
    ParameterDescriptor(
      "row_height", .lengths(1...1),
      help: "height that justified rows come near; a quarter of the page if not given"),
    ParameterDescriptor(
      "border", .lengths(1...1), default: .text("0"), help: "width of a line around each picture"),
    ParameterDescriptor(
      "border_colour", .colour, default: .colour(.black), help: "colour of that line"),
    ParameterDescriptor(
      "cell_background", .colour, help: "colour behind each picture, in all of its cell"),
    ParameterDescriptor(
      "enlarge", .boolean, default: .boolean(true),
      help: "whether a picture may be shown larger than its own size"),
    ParameterDescriptor(
      "reduce", .boolean, default: .boolean(true),
      help: "whether it may be shown smaller; what sticks out is clipped"),
    ParameterDescriptor(
      "max_dpi", .number(1...100_000), unit: "pixels per inch",
      help: "larger pictures are resized to it; dpi or 300 in layouts, none for one a page",
      synonyms: ["dpi_max", "maximum_dpi"]),
    ParameterDescriptor(
      "min_dpi", .number(1...100_000), unit: "pixels per inch",
      help: "a note counts the pictures that are shown at less, and names the worst",
      synonyms: ["dpi_min", "minimum_dpi", "least_dpi"]),
    ParameterDescriptor(
      "bleed", .lengths(1...1), default: .text("0"),
      help: "how far pictures at the edge reach beyond the trimmed page"),
    ParameterDescriptor(
      "crop_marks", .boolean, default: .boolean(false), help: "lines that show where to trim"),
    ParameterDescriptor(
      "page_multiple", .integer(1...1_000), default: .integer(1),
      help: "blank pages are added up to a multiple of it"),
    ParameterDescriptor(
      "first_page", .choice(["right", "left"]),
      help:
        "side of a spread that the first page lies on; right, or left where reading is right-to-left"
    ),
    ParameterDescriptor(
      "cover_pages", .integer(0...100_000), default: .integer(0),
      help: "pages of the book inside a cover, which its spine is computed from"),
    ParameterDescriptor(
      "paper_thickness", .lengths(1...1), default: .text("0"),
      help:
        "of a sheet of the book inside a cover, two pages: '0.11mm'; a cover_of takes it from there"
    ),
    ParameterDescriptor(
      "cover_thickness", .lengths(1...1), default: .text("0"),
      help: "of the cover itself, which the spine has twice"),
  ]
}

extension BookLayout {
  /// From arguments that `BookParameters.all` has checked.
  ///
  /// - Throws: all that a descriptor cannot check, at once.
  public init(_ arguments: Arguments) throws(PageSetupErrors) {
    var errors: [PageSetupError] = []
    var setup = PageSetup()
    do { setup = try PageSetup(arguments) } catch { errors += error.errors }
    var options = LayoutOptions()
    options.kind = LayoutKind(rawValue: arguments.text("layout"))!
    options.rows = arguments.optionalInteger("rows")
    options.columns = arguments.optionalInteger("columns")
    options.balances = arguments.boolean("balance")
    let page = setup.background ?? .white
    options.cellBackground = arguments.optionalColour("cell_background")?.over(page)
    options.borderColour = arguments.colour("border_colour").over(options.cellBackground ?? page)
    options.position = arguments.optionalText("position").map { CropPosition(name: $0) }
    options.minimumDPI = arguments.optionalNumber("min_dpi")
    let cellDPI = max(LayoutOptions.defaultCellDPI, options.minimumDPI ?? 0)
    options.maximumDPI =
      arguments.optionalNumber("max_dpi")
      ?? (options.kind == .single ? nil : setup.dpi ?? cellDPI)
    options.print.cropMarks = arguments.boolean("crop_marks")
    options.print.pageMultiple = arguments.integer("page_multiple")
    options.pagesBefore = (arguments.optionalText("title_page") ?? "").isEmpty ? 0 : 1
    options.binding = BindingOptions(sidesOf: arguments)
    options.binding.pages = arguments.integer("cover_pages")

    let dpi = setup.dpi ?? PageSetup.defaultDPI
    func lengths(
      _ name: String, most: Int, least: Double = 0, longest: Double = Length.most
    ) -> [Double]? {
      guard let text = arguments.optionalText(name) else { return nil }
      do throws(PageSetupError) {
        let lengths = try Length.list(text, option: name, dpi: dpi)
        guard lengths.count <= most, !lengths.isEmpty else {
          throw .lengthCount(option: name, most: most, found: lengths.count)
        }
        guard lengths.allSatisfy({ $0 >= least }) else {
          throw .tooShort(option: name, text, least: least)
        }
        guard lengths.allSatisfy({ $0 <= longest + 0.01 }) else {
          throw .tooLong(option: name, text, most: longest)
        }
        return lengths
      } catch {
        errors.append(error)
        return nil
      }
    }
    let gaps = lengths("gutter", most: 2) ?? [0]
    (options.rowGap, options.columnGap) = (gaps[0], gaps.last!)
    options.cell = lengths("cell", most: 2, least: 1).map {
      PageSize(width: $0[0], height: $0.last!)
    }
    options.rowHeight = lengths("row_height", most: 1, least: 1)?[0]
    options.border = lengths("border", most: 1)?[0] ?? 0
    options.print.bleed = lengths("bleed", most: 1, longest: PrintOptions.mostBleed)?[0] ?? 0
    options.binding.sheetThickness = lengths("paper_thickness", most: 1)?[0] ?? 0
    options.binding.coverThickness = lengths("cover_thickness", most: 1)?[0] ?? 0
    guard errors.isEmpty else { throw PageSetupErrors(errors: errors) }
    self.init(setup: setup, options: options)
  }
}
