import BookDesign
import ImageCore

/// The options of `book` that arrange pictures on pages and prepare pages for print.
package enum LayoutParameters {
  /// The options in the order of the help.
  package static let all: [ParameterDescriptor] =
    [
      ParameterDescriptor(
        "layout", .choice(LayoutKind.allCases.map(\.rawValue)), default: .text("single"),
        help: "arrangement of pictures: "
          + LayoutKind.allCases.dropLast().map(\.summary).joined(separator: ", ")
          + ", or \(LayoutKind.allCases.last!.summary)"
      ),
      ParameterDescriptor(
        "style", .choice(DesignStyle.names), default: .text(DesignStyle.names[0]), help: "look of designed pages",
        synonyms: ["theme", "look"]),
      ParameterDescriptor(
        "pages", .integer(1...10_000),
        help: "number of pages of the book, with its title page; by default as many as look best",
        synonyms: ["page_count", "pagecount"]),
      ParameterDescriptor(
        "templates", .text, help: "Lua file beside the script with templates that are added to the style's",
        synonyms: ["template"]
      ).namingFile(unless: []),
      ParameterDescriptor(
        "duplicates", .boolean, default: .boolean(false),
        help: "keep pictures that resemble a better one taken right before or after"),
      ParameterDescriptor(
        "rows", .integer(1...1_000), help: "rows of a grid; by default as many as fit",
        synonyms: ["row", "down"]),
      ParameterDescriptor(
        "columns", .integer(1...1_000),
        help: "columns of a grid or of masonry; by default at most 3",
        synonyms: ["cols", "col", "column", "across"]),
      ParameterDescriptor(
        "cell", .lengths(1...2), help: "size of a grid's cells: '60mm' or '60mm 40mm'"
      ),
      ParameterDescriptor(
        "balance", .boolean, default: .boolean(true),
        help: "move rows from the page before to a nearly empty last page"),
      ParameterDescriptor(
        "gutter", .lengths(1...2), default: .text("0"),
        help: "space between cells: '4mm', or '6mm 4mm' for rows and columns",
        synonyms: ["gap", "gaps", "spacing"]),
      ParameterDescriptor(
        "row_height", .lengths(1...1),
        help: "approximate height of justified rows; by default a quarter of the page"),
      ParameterDescriptor(
        "border", .lengths(1...1), default: .text("0"), help: "width of a border around each picture"),
      ParameterDescriptor(
        "border_colour", .colour, default: .colour(.black), help: "colour of the border"),
      ParameterDescriptor(
        "corners", .lengths(1...1), default: .text("0"),
        help: "radius of the corners of pictures, at most half of their shorter side",
        synonyms: ["corner_radius", "radius", "rounded", "round"]),
      ParameterDescriptor(
        "shadow", .lengths(1...2), default: .text("0"),
        help:
          "soft shadow of each picture: '3mm' for its blur, or '1mm 3mm' for its distance below the picture and its blur",
        synonyms: ["drop_shadow", "shadows"]),
      ParameterDescriptor(
        "shadow_colour", .colour, default: .colour(PictureShadow.usualColour),
        help: "colour of shadows with their opacity"),
      ParameterDescriptor(
        "cell_background", .colour,
        help: "colour of the whole cell behind each picture; by default none"),
      ParameterDescriptor(
        "enlarge", .boolean, default: .boolean(true),
        help: "allow pictures to be shown larger than their own size"),
      ParameterDescriptor(
        "reduce", .boolean, default: .boolean(true),
        help: "allow pictures to be shown smaller than their own size; otherwise they are clipped"),
      ParameterDescriptor(
        "max_dpi", .number(1...100_000), unit: "pixels per inch",
        help:
          "resolution to which larger pictures are reduced; by default dpi or 300, and none for one picture a page",
        synonyms: ["dpi_max", "maximum_dpi"]),
      ParameterDescriptor(
        "min_dpi", .number(1...100_000), unit: "pixels per inch",
        help: "resolution below which a note counts the pictures and names the worst",
        synonyms: ["dpi_min", "minimum_dpi", "least_dpi"]),
      ParameterDescriptor(
        "bleed", .lengths(1...1), default: .text("0"),
        help: "distance by which pictures at the edge reach beyond the trimmed page"),
      ParameterDescriptor(
        "crop_marks", .boolean, default: .boolean(false), help: "draw lines that show where to trim"),
      ParameterDescriptor(
        "page_multiple", .integer(1...1_000), default: .integer(1),
        help: "add blank pages until the page count is a multiple of this"),
    ] + LayoutKind.allCases.flatMap(\.parameters)
}

extension BookLayout {
  /// Creates a layout from arguments that `BookParameters.all` has checked.
  ///
  /// - Throws: all mistakes that the parameter descriptors cannot detect.
  package init(_ arguments: Arguments) throws(PageSetupErrors) {
    var errors: [PageSetupError] = []
    var setup = PageSetup()
    do { setup = try PageSetup(arguments) } catch { errors += error.errors }
    var options = LayoutOptions()
    options.kind = LayoutKind(rawValue: arguments.text("layout"))!
    options.rows = arguments.optionalInteger("rows")
    options.columns = arguments.optionalInteger("columns")
    options.balances = arguments.boolean("balance")
    options.pageTarget = arguments.optionalInteger("pages")
    let page = setup.background ?? .white
    options.cellBackground = arguments.optionalColour("cell_background")?.over(page)
    options.borderColour = arguments.colour("border_colour").over(options.cellBackground ?? page)
    options.position = arguments.optionalText("position").map { CropPosition(name: $0) }
    options.baseline = arguments.optionalNumber(BaselineGrid.argument)
    options.minimumDPI = arguments.optionalNumber("min_dpi")
    let cellDPI = max(LayoutOptions.defaultCellDPI, options.minimumDPI ?? 0)
    options.maximumDPI = arguments.optionalNumber("max_dpi") ?? (options.kind == .single ? nil : setup.dpi ?? cellDPI)
    options.print.cropMarks = arguments.boolean("crop_marks")
    options.print.pageMultiple = arguments.integer("page_multiple")
    options.pagesBefore = arguments.titlePage.isEmpty ? 0 : 1
    options.pagesAfter = arguments.has("colophon") ? 1 : 0
    options.binding = BindingOptions(sidesOf: arguments)
    options.binding.pages = arguments.integer("cover_pages")

    let dpi = setup.dpi ?? PageSetup.defaultDPI
    let binding = arguments.optionalText("binding").flatMap(Binding.named)?.options ?? []
    let given = Set(arguments.given.map(\.name))
    func lengths(_ name: String, most: Int, least: Double = 0, longest: Double = Length.maximum) -> [Double]? {
      let published = given.contains(name) ? nil : binding.first { $0.name == name }?.length
      guard let text = published ?? arguments.optionalText(name) else { return nil }
      do throws(PageSetupError) {
        let lengths = try Length.list(text, option: name, dpi: dpi)
        guard lengths.count <= most, !lengths.isEmpty else {
          throw .lengthCount(option: name, most: most, found: lengths.count)
        }
        guard lengths.allSatisfy({ $0 >= least }) else { throw .tooShort(option: name, text, least: least) }
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
    options.corners = lengths("corners", most: 1)?[0] ?? 0
    options.shadow = PictureShadow(lengths("shadow", most: 2) ?? [0], colour: arguments.colour("shadow_colour"))
    options.isOpaque = arguments.optionalText("conformance").flatMap(Conformance.init)?.isOpaque ?? false
    options.print.bleed = lengths("bleed", most: 1, longest: PrintOptions.maximumBleed)?[0] ?? 0
    options.binding.sheetThickness = lengths("paper_thickness", most: 1)?[0] ?? 0
    options.binding.coverThickness = lengths("cover_thickness", most: 1)?[0] ?? 0
    options.binding.hinge = lengths("hinge", most: 1)?[0] ?? 0
    options.binding.turnIn = lengths("turn_in", most: 1)?[0] ?? 0
    guard errors.isEmpty else { throw PageSetupErrors(errors: errors) }
    self.init(setup: setup, options: options)
  }
}
