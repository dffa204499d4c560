import BookComposing
import ImageCodecs
import ImageCore
import ImageOperations
import ImagePipeline

/// Everything a script can call on pictures, as data: the operations, and the functions that read and
/// write.
enum ScriptReference {
  /// One function or method.
  struct Entry {
    let descriptor: OperationDescriptor
    /// How it is called: `picture:crop(left, top, width, height)`.
    let call: String
  }

  static var all: [Entry] { sources + OperationList.all.map { method($0.descriptor) } + rest }

  /// An operation or a plugin as a method of pictures.
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

  /// Whether a plugin's parameter stands before its options: one of the pictures of a mixer.
  static func isFurtherPicture(_ parameter: ParameterDescriptor) -> Bool {
    parameter.kind == .picture && parameter.isRequired
  }

  /// A plugin as it is called.
  static func plugin(_ descriptor: OperationDescriptor) -> Entry {
    let pictures = descriptor.parameters.filter(isFurtherPicture).map { $0.name + ", " }
    let call =
      descriptor.isSource
      ? "img.plugin(\"\(descriptor.name)\", { width = …, height = …, … })"
      : "picture:plugin(\"\(descriptor.name)\", \(pictures.joined()){ … })"
    return Entry(descriptor: descriptor, call: call)
  }

  private static func entry(
    _ name: String, _ family: String, _ call: String, _ summary: String,
    _ parameters: [ParameterDescriptor] = []
  ) -> Entry {
    Entry(
      descriptor: OperationDescriptor(
        name: name, family: family, summary: summary, parameters: parameters),
      call: call)
  }

  private static var sources: [Entry] {
    [
      entry(
        "open", "source", "img.open(path, { … })", "Open a picture file", SourceParameters.open),
      entry(
        "glob", "source", "img.glob(\"photos/*.{jpg,png}\", { … })",
        "Open all files that match a pattern, in natural order: 2.jpg before 10.jpg",
        SourceParameters.open),
      entry(
        "canvas", "source", "img.canvas(width, height, { … })", "Make a plain area",
        SourceParameters.canvas),
    ]
  }

  private static var rest: [Entry] {
    [
      entry(
        "stats", "script", "picture:stats()",
        "Decode the picture and return numbers: mean, deviation, minimum, maximum, entropy, histogram"
      ),
      entry(
        "plugin", "script", "picture:plugin(name, { … })",
        "Call a plugin, see 'imghost plugins' for their names and options"),
      entry(
        "save", "sink", "pictures:save(\"{stem}.jpg\", { … })", "Write pictures to files",
        saveParameters),
      entry(
        "book", "sink", "img.book(\"book.pdf\", pictures, { … })",
        "Write a PDF, a picture a page or several",
        bookParameters),
      entry(
        "verify", "script", "img.verify(\"book.pdf\", { … })",
        "Prove a PDF by rendering it and return a report", VerifyParameters.all),
      entry(
        "contact_sheet", "sink", "img.contact_sheet(\"sheet.pdf\", pictures, { … })",
        "Write a PDF of small pictures with their names below", bookParameters),
    ]
  }

  /// Options of `save` for every format; what only one format takes says so.
  static var saveParameters: [ParameterDescriptor] {
    var result = SinkParameters.save
    for codec in CodecList.all {
      for parameter in codec.saveParameters where !result.contains(parameter) {
        let isShared = CodecList.all.allSatisfy { $0.saveParameters.contains(parameter) }
        result.append(
          isShared
            ? parameter
            : ParameterDescriptor(
              parameter.name, parameter.kind, default: parameter.defaultValue,
              required: parameter.isRequired, unit: parameter.unit,
              help: "\(codec.name.uppercased()): \(parameter.help)"))
      }
    }
    return result
  }

  static var bookParameters: [ParameterDescriptor] {
    BookOptions.all
  }
}
