import ImageCore
import ImagePipeline

/// The scripts of `convert`, `book` and `sheet`.
extension OneLineScript {
  /// Finds the declaration of a plugin; nil if there is none.
  package typealias PluginFinder = (String) -> OperationDescriptor?

  /// Returns the script of `imghost convert`.
  ///
  /// - Parameters:
  ///   - commandLine: all words, for a comment.
  ///   - namesFormat: whether the extension of the output is that of a format.
  package static func convert(
    _ words: OneLineWords, _ commandLine: [String], namesFormat: Bool, plugin: @escaping PluginFinder
  ) -> OneLineScript {
    var script = OneLineScript("imghost convert")
    script.addBeginning(commandLine)
    let isOne = script.addPictures(words, plugin: plugin)
    let output = OutputWord(
      words.output, format: words.saving("format"), isOne: isOne, mayBeOne: words.inputs.count == 1)
    let start = (isOne ? "photo" : "img.list(photos)") + ":save(" + LuaLiteral.quoted(output.name)
    // The name of a pipe rarely shows the format: '-', 'out.fifo'.
    let isNameless = output.isPipe && !namesFormat
    let extra = isNameless && isOne && words.saving("format") == nil ? ["format = photo.format"] : []
    script.addSink(start, words.saving, extra: extra, mistake: output.mistake)
    return script
  }

  /// Returns the script of `imghost book`.
  package static func book(_ words: OneLineWords, _ commandLine: [String], plugin: @escaping PluginFinder)
    -> OneLineScript
  {
    var script = OneLineScript("imghost book")
    script.addBeginning(commandLine)
    let isOne = script.addPictures(words, plugin: plugin)
    let start = "img.book(\(LuaLiteral.quoted(words.output)), \(isOne ? "photo" : "photos")"
    script.addSink(start, words.saving)
    return script
  }

  /// Returns the script of `imghost sheet`, which makes a PDF, or pictures that the script itself assembles.
  package static func sheet(
    _ words: OneLineWords, _ commandLine: [String], isPDF: Bool, plugin: @escaping PluginFinder
  ) -> OneLineScript {
    var script = OneLineScript("imghost sheet")
    script.addBeginning(commandLine)
    let isOne = script.addPictures(words, plugin: plugin)
    if isPDF {
      let start = "img.contact_sheet(\(LuaLiteral.quoted(words.output)), \(isOne ? "photo" : "photos")"
      script.addSink(start, words.saving)
      return script
    }
    if isOne { script.add("local photos = { photo }") }
    let rest = SheetPicture.addLines(words, to: &script)
    script.addSink("img.list(sheets):save(\(LuaLiteral.quoted(words.output))", rest)
    return script
  }
}

/// The output of a command, as the script names it.
struct OutputWord {
  let name: String
  /// The reason why the name is wrong; nil if it is not. The script uses another name in place of a wrong one.
  let mistake: String?
  /// Whether the output is standard output or a named pipe.
  let isPipe: Bool

  /// - Parameters:
  ///   - isOne: whether there is one picture.
  ///   - mayBeOne: whether there is only one input, which may be a pattern that matches one picture.
  init(_ text: String, format: String?, isOne: Bool, mayBeOne: Bool) {
    isPipe = OutputPipe(text) != nil
    guard !isPipe else {
      name = isOne ? text : "several-{index}.jpg"
      mistake = isOne ? nil : "several inputs cannot go into one pipe; write to files, such as '{stem}.jpg'"
      return
    }
    if text.hasSuffix("/") || FolderFiles.isFolder(text) {
      name = text + (text.hasSuffix("/") ? "" : "/") + (format.map { "{stem}." + $0 } ?? "{name}")
      mistake = nil
      return
    }
    let ending = PathName.fileExtension(text)
    guard !isOne, !Self.hasField(text), !mayBeOne || ending.isEmpty else {
      (name, mistake) = (text, nil)
      return
    }
    let folder = PathName.folder(text).map { $0 + "/" } ?? ""
    let pattern = folder + "{stem}" + (ending.isEmpty ? "" : "." + ending)
    // Nothing is written because of the mistake, so this name only has to cause no further mistakes.
    name = folder + "several-{index}." + (ending.isEmpty ? "jpg" : ending)
    mistake =
      "several inputs cannot go into the one file '\(text)'; "
      + (ending.isEmpty
        ? "for a folder, write '\(text)/'" : "put a field into its name, such as '\(pattern)'")
  }

  /// Returns whether a name contains a field in braces; doubled braces are literal.
  private static func hasField(_ text: String) -> Bool {
    text.replacing("{{", with: "").contains("{")
  }
}
