import ImageCore
import ImagePipeline
import PDFBook
import TextShaping

/// Checks of the texts of a book's pages: templates, and texts for single pictures.
extension BookChecker {
  /// The templates of texts that differ from page to page.
  struct PageTemplates {
    var caption, header, footer, pageNumber, heading, chapter, outline, link, alternative: NameTemplate?
    /// Alternative texts and captions of single pictures.
    var ownAlternatives, ownCaptions: OwnTexts
    let arguments: Arguments
  }

  /// Texts for single pictures, given by name or in order.
  struct OwnTexts {
    /// The texts by file name or stem.
    var named: [String: String] = [:]
    /// The texts in the order of the pictures, as an alternative to `named`.
    var inOrder: [String] = []

    /// Returns the text of a picture; nil if it has none of its own.
    func text(of picture: Picture, at index: Int) -> String? {
      if inOrder.indices.contains(index) { return inOrder[index] }
      guard !named.isEmpty, let file = picture.origin else { return nil }
      return named[file.name] ?? named[file.stem]
    }
  }

  /// The fields of templates that some pictures have no value for.
  struct MissingFields {
    var gaps = NameTemplate.Gaps()
    /// The number of pictures that lack at least one field, and the names of the first of them.
    var pictures = 0
    var names: [String] = []
    /// The number of pictures with a text whose fields are all without a value, so that only its other words are shown.
    var barePictures = 0

    mutating func add(_ more: NameTemplate.Gaps, of picture: String) {
      guard !more.isEmpty else { return }
      pictures += 1
      if names.count < 3 { names.append(printable(picture)) }
      if more.bareText != nil { barePictures += 1 }
      gaps.formUnion(more)
    }
  }

  /// Parses the templates; nil if a template or one of `captions` is invalid, which is reported.
  mutating func templates(_ arguments: Arguments) -> PageTemplates? {
    var isRight = true
    func template(_ name: String, _ use: NameTemplate.Use = .path) -> NameTemplate? {
      guard let text = arguments.optionalText(name), !text.isEmpty else { return nil }
      let template = checks.parsed(text, request, option: name, use: use, hasGroups: !request.groups.isEmpty)
      if template == nil { isRight = false }
      return template
    }
    let captions = arguments.texts("captions")
    for problem in problems(inOwn: captions, of: "captions") {
      mistake(problem)
      isRight = false
    }
    let texts = PageTemplates(
      caption: template("caption", .caption), header: template("header", .runningLine),
      footer: template("footer", .runningLine), pageNumber: template("page_number", .runningLine),
      heading: template("section_heading", .runningLine), chapter: template("chapter", .caption),
      outline: template("outline"), link: template("link"),
      alternative: template("alt", .caption),
      ownAlternatives: OwnTexts(named: arguments.fields("alt_texts")),
      ownCaptions: OwnTexts(named: captions.named, inOrder: captions.inOrder), arguments: arguments)
    return isRight ? texts : nil
  }

  /// Returns mistakes in texts that the script gives for single pictures, one clause each.
  private func problems(inOwn texts: (named: [String: String], inOrder: [String]), of option: String) -> [String] {
    texts.inOrder.enumerated().compactMap { problem(in: $1, as: "'\(option)', text \($0 + 1)") }
      + texts.named.sorted { $0.key < $1.key }.compactMap {
        problem(in: $1, as: "'\(option)', text of '\(printable($0))'")
      }
  }

  private func problem(in text: String, as name: String) -> String? {
    TextError.problem(with: text).map { "\(name): \($0)" }
  }

  /// Returns a picture's caption, running lines, outline entry, link and alternative text.
  mutating func filled(
    _ texts: PageTemplates, _ picture: Picture, _ info: Picture.Info, _ index: Int, _ chapters: inout ChapterTexts,
    _ missing: inout MissingFields
  ) throws(Picture.Problem) -> PageTexts {
    var lacking = NameTemplate.Gaps()
    let place = request.groupPlace(ofPicture: index)
    let group = place.map { request.groups[$0].name }
    func caption(_ template: NameTemplate?) throws(Picture.Problem) -> String? {
      guard let template = template?.inGroup(group) else { return nil }
      do throws(NameTemplate.TemplateError) {
        return try template.caption(for: picture, info: info, index: index + 1, missing: &lacking)
      } catch {
        throw checks.problem(error, picture, request)
      }
    }
    if let place, !chapters.isKnown(ofGroup: place), let text = try caption(chapters.template) {
      chapters.set(text, of: request.groups[place], at: place)
    }
    let entry = place.flatMap { chapters.text(ofGroup: $0) } ?? group
    var alternative = texts.ownAlternatives.text(of: picture, at: index)
    if alternative == nil { alternative = try caption(texts.alternative) }
    let references = PageReferences(
      outline: Self.outline(try caption(texts.outline), entry, namesGroup: texts.outline?.namesGroup ?? false),
      link: try link(texts.link?.inGroup(group), picture, info, index),
      alternative: alternative ?? "")
    if let problem = references.problem(with: texts.arguments) {
      guard isOfScript(texts) else { throw .diagnostic(request.diagnostic(problem.text, picture, index)) }
      mistake(problem)
    }
    var shown = ShownTexts()
    var under =
      request.caption(ofPicture: index) ?? request.hint(for: picture)?.caption
      ?? texts.ownCaptions.text(of: picture, at: index)
    if under == nil { under = try caption(texts.caption) }
    under = under.flatMap { shown.showable($0) }
    func line(_ option: String, _ template: NameTemplate?) throws(Picture.Problem) -> RunningText? {
      guard let template = template?.inGroup(group) else { return nil }
      do throws(NameTemplate.TemplateError) {
        let text = try template.runningText(for: picture, info: info, index: index + 1, missing: &lacking)
        return shown.showable(text, option)
      } catch {
        throw checks.problem(error, picture, request)
      }
    }
    var lines = RunningTexts()
    lines.header = try line("header", texts.header)
    lines.footer = try line("footer", texts.footer)
    lines.pageNumber = try line("page number", texts.pageNumber)
    lines.heading = try line("section heading", texts.heading)
    for change in shown.changes { note(change, file: picture.origin?.path) }
    missing.add(lacking, of: picture.name(at: index))
    return .of(caption: under, running: lines, references: references)
  }

  /// Returns a picture's outline entry. The level above is the chapter or the name of the group, unless the entry
  /// already names the group.
  private static func outline(_ text: String?, _ group: String?, namesGroup: Bool) -> String {
    guard let group, !namesGroup else { return text ?? "" }
    // The group's name is one level of the outline, so a separator in it is replaced.
    let entry = group.replacing(" > ", with: " \u{203a} ")
    return [entry, text ?? ""].filter { !$0.isEmpty }.joined(separator: " > ")
  }

  /// Returns whether the outline entry or the link is invalid for every picture, because the fixed text of the template
  /// is wrong.
  private func isOfScript(_ texts: PageTemplates) -> Bool {
    let ordinary = PageReferences(outline: texts.outline?.ordinaryText ?? "", link: texts.link?.ordinaryText ?? "")
    return ordinary.problem(with: texts.arguments) != nil
  }

  /// Returns the address of a picture's link. A field without a value is an error here, because the link would lead to
  /// another address.
  private func link(
    _ template: NameTemplate?, _ picture: Picture, _ info: Picture.Info, _ index: Int
  )
    throws(Picture.Problem) -> String
  {
    guard let template else { return "" }
    do throws(NameTemplate.TemplateError) {
      return try template.text(for: picture, info: info, index: index + 1, use: .address)
    } catch {
      throw checks.problem(error, picture, request)
    }
  }

  /// Adds a note for the whole book about the pictures that lack fields, and one about texts without any value.
  mutating func noteMissing(_ missing: MissingFields) {
    let gaps = missing.gaps
    guard !gaps.isEmpty else { return }
    func counted(_ count: Int) -> String {
      request.pictures.count == 1
        ? "the picture has"
        : "\(count) of \(request.pictures.count) pictures " + (count == 1 ? "has" : "have")
    }
    note(
      "\(counted(missing.pictures)) \(gaps.clauses.joined(separator: " or ")), so texts leave it empty; "
        + "write \(gaps.examples) for a text instead: " + missing.names.joined(separator: ", ")
        + (missing.pictures > missing.names.count ? " and \(missing.pictures - missing.names.count) more" : ""))
    if let bareText = gaps.bareText {
      note(
        "\(counted(missing.barePictures)) a text in which every field is missing: "
          + "'\(printable(bareText))'")
    }
  }

  /// Adds notes about texts that belong to no picture of the book, for example because a file name is mistyped.
  mutating func noteStrays(in texts: PageTemplates) {
    noteStrays(in: texts.ownAlternatives.named, of: "alt_texts")
    noteStrays(in: texts.ownCaptions.named, of: "captions")
    let (given, all) = (texts.ownCaptions.inOrder.count, request.pictures.count)
    if given > all { note("'captions' has \(given) texts for \(all) picture\(all == 1 ? "" : "s")") }
  }

  private mutating func noteStrays(in named: [String: String], of option: String) {
    guard !named.isEmpty else { return }
    let names = Set(request.pictures.compactMap(\.origin).flatMap { [$0.name, $0.stem] })
    let strays = named.keys.filter { !names.contains($0) }.sorted()
    guard let first = strays.first else { return }
    let hint = Suggestion.nearest(to: first, in: names.sorted()).map { " (did you mean '\($0)'?)" } ?? ""
    note(
      "'\(option)' has '\(printable(first))'\(hint), which is not a picture of this book"
        + (strays.count > 1 ? ", and \(strays.count - 1) more" : ""))
  }
}
