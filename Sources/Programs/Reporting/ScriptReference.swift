import BookComposing
import ImageCore
import ImagePipeline

/// Functions that scripts can call, as data: operations, measurements, and the functions that read, write and verify
/// pictures and books.
package struct ScriptReference {
  /// One function or method.
  package struct Entry {
    package let descriptor: OperationDescriptor
    /// An example of a call: `picture:crop(left, top, width, height)`.
    package let call: String
  }

  let operations: [OperationDescriptor]
  let codecs: [any PictureCodec]
  let measurements: [MeasurementDefinition]
  let textPicture: OperationDescriptor
  let bookParameters: [ParameterDescriptor]

  /// - Parameters:
  ///   - textPicture: the function `img.text`.
  ///   - bookParameters: the options of `book`.
  package init(
    operations: [OperationDescriptor], codecs: [any PictureCodec], measurements: [MeasurementDefinition],
    textPicture: OperationDescriptor, bookParameters: [ParameterDescriptor]
  ) {
    self.textPicture = textPicture
    self.operations = operations
    self.measurements = measurements
    self.codecs = codecs
    self.bookParameters = bookParameters
  }

  package var all: [Entry] {
    Self.sources + [Entry(descriptor: textPicture, call: "img.text(text, { … })")] + operations.map(Self.method)
      + measurements.map { Self.method($0.descriptor) } + rest
  }

  /// Returns the entry for an operation, as a method of pictures.
  static func method(_ descriptor: OperationDescriptor) -> Entry {
    let positional = descriptor.parameters.prefix(descriptor.positionalCount).map(\.name)
    let hasMore = descriptor.parameters.count > positional.count
    let call =
      switch (positional.isEmpty, hasMore) {
      case (true, true): "picture:\(descriptor.name){ … }"
      case (true, false): "picture:\(descriptor.name)()"
      case (false, _):
        "picture:\(descriptor.name)(\((positional + (hasMore ? ["{ … }"] : [])).joined(separator: ", ")))"
      }
    return Entry(descriptor: descriptor, call: call)
  }

  /// Returns whether a parameter is an additional picture of a plugin with several inputs. In a call, these pictures
  /// precede the options.
  static func isFurtherPicture(_ parameter: ParameterDescriptor) -> Bool {
    parameter.kind == .picture && parameter.isRequired
  }

  /// Returns the entry for a plugin, with an example of its call.
  package static func plugin(_ descriptor: OperationDescriptor) -> Entry {
    let pictures = descriptor.parameters.filter(isFurtherPicture).map { $0.name + ", " }
    let call =
      descriptor.isSource
      ? "img.plugin(\"\(descriptor.name)\", { width = …, height = …, … })"
      : "picture:plugin(\"\(descriptor.name)\", \(pictures.joined()){ … })"
    return Entry(descriptor: descriptor, call: call)
  }

  private static func entry(
    _ name: String, _ family: String, _ call: String, _ summary: String, _ parameters: [ParameterDescriptor] = []
  ) -> Entry {
    Entry(
      descriptor: OperationDescriptor(
        name: name, family: family, summary: summary, parameters: parameters),
      call: call)
  }

  private static var sources: [Entry] {
    [
      entry(
        "open", "source", "img.open(path, { … })", "Open a picture file, or standard input by the path '-'",
        SourceParameters.open),
      entry(
        "pages", "source", "img.pages(path, { … })", "Open all pages or frames of a file, as a list",
        SourceParameters.pages),
      entry(
        "glob", "source", "img.glob(\"photos/*.{jpg,png}\", { … })",
        "Open all files that match a pattern, in natural order: 2.jpg before 10.jpg",
        SourceParameters.glob),
      entry(
        "canvas", "source", "img.canvas(width, height, { … })",
        "Make a picture of one colour", SourceParameters.canvas),
    ]
  }

  private var rest: [Entry] {
    [
      Self.entry(
        "plugin", "script", "picture:plugin(name, { … })",
        "Call a plugin; 'imghost plugins' lists their names and options"),
      Self.entry(
        "save", "sink", "pictures:save(\"{stem}.jpg\", { … })",
        "Write pictures to files, or one to standard output by the name '-'",
        saveParameters),
      Self.entry(
        "animation", "sink", "img.animation(\"film.webp\", pictures, { … })",
        "Write pictures of one size as the frames of an animation", SinkParameters.animation),
      Self.entry(
        "multipage", "sink", "img.multipage(\"scans.tif\", pictures, { … })",
        "Write pictures as the pages of one file", SinkParameters.multipage),
      Self.entry(
        "tiles", "sink", "pictures:tiles(\"zoom/{stem}\", { … })",
        "Write pictures as pyramids of tiles, for viewers that zoom", SinkParameters.tiles),
      Self.entry(
        "book", "sink", "img.book(\"book.pdf\", pictures, { … })",
        "Write a PDF with one or more pictures a page", bookParameters),
      Self.entry(
        "hint", "script", "img.hint(pictures, { … })",
        "Say how books that design themselves are to treat pictures", HintParameters.all),
      Self.entry(
        "page", "script", "img.page{ pictures…, title = …, text = …, … }",
        "Make a page of a book: a text, or pictures in places that the script gives", PageParameters.all),
      Self.entry(
        "verify", "script", "img.verify(\"book.pdf\", { … })",
        "Render a PDF, check it, and return a report", VerifyParameters.all),
      Self.entry(
        "contact_sheet", "sink", "img.contact_sheet(\"sheet.pdf\", pictures, { … })",
        "Write a PDF of small pictures with their names below", bookParameters),
    ]
  }

  /// The options of `save` for all formats that can be written. If only some formats have an option, its help begins
  /// with their names.
  var saveParameters: [ParameterDescriptor] {
    let writers = codecs.filter(\.writes)
    var result = SinkParameters.save
    var seen: Set<ParameterDescriptor> = Set(result)
    for parameter in writers.flatMap(\.saveParameters) where seen.insert(parameter).inserted {
      let owners = writers.filter { $0.saveParameters.contains(parameter) }
      guard owners.count < writers.count else {
        result.append(parameter)
        continue
      }
      let names = owners.map { $0.name.uppercased() }.joined(separator: ", ")
      result.append(
        ParameterDescriptor(
          parameter.name, parameter.kind, default: parameter.defaultValue, required: parameter.isRequired,
          unit: parameter.unit, help: "\(names): \(parameter.help)"))
    }
    return result
  }
}
