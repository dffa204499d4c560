import BookDesign
import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits
import Platform

/// Checks of books with the layout `auto`, whose pages are designed.
extension BookChecker {
  /// Returns the design settings of a book, with its style and its templates; nil if the templates have mistakes, which
  /// are reported.
  mutating func designing(_ arguments: Arguments) -> BookDesigning? {
    let name = arguments.text("style")
    guard let base = shippedStyle(name) else { preconditionFailure("the style '\(name)' has mistakes") }
    guard let file = arguments.optionalText("templates") else { return BookDesigning(base, arguments) }
    let source: [UInt8]
    do throws(FileError) {
      let input = try InputFile(path: file)
      guard input.byteCount <= Self.largestTemplates else { throw FileError(.read, path: file, code: EFBIG) }
      source = try input.bytes(at: 0, count: input.byteCount)
    } catch {
      mistake(OptionProblem("templates", because: "'\(printable(file))': \(error)"))
      return nil
    }
    do {
      let value = try tools.templates(source)
      return BookDesigning(try DesignStyle(value, file: PathName.name(file).description, addingTo: base), arguments)
    } catch let error as TemplateFileProblem {
      let place = printable(file) + (error.line.map { ":\($0)" } ?? "")
      mistake(OptionProblem("templates", because: "\(place): \(error.reason)"))
    } catch let error as TemplateProblems {
      for problem in error.all { mistake(OptionProblem("templates", because: "\(problem)")) }
    } catch {
      preconditionFailure("reading templates fails otherwise: \(error)")
    }
    return nil
  }

  /// The maximum size of a file of templates, in bytes.
  private static let largestTemplates = 1 << 20

  private func shippedStyle(_ name: String) -> DesignStyle? {
    try? DesignStyle(
      tools.templates(DesignStyle.source(named: name)), file: "\(name).lua",
      addingTo: DesignStyle(name: name, templates: []))
  }

  /// Designs the pages of a book, and removes from the candidates the pictures that the design leaves out.
  mutating func design(
    _ candidates: inout BookCandidates, _ designing: BookDesigning, _ sequence: BookSequence, _ arguments: Arguments
  ) throws(PictureError) -> BookDesigning.Designed {
    let pictures = candidates.found.map(\.picture)
    let asked = Self.measured(pictures.indices, sequence).filter { !(request.hint(for: pictures[$0])?.skip ?? false) }
    var traits = [PictureTraits?](repeating: nil, count: pictures.count)
    for (place, found) in zip(asked, checks.traits(asked.map { pictures[$0] })) { traits[place] = found }
    let facts = candidates.found.enumerated().map { place, candidate in
      PictureFacts(
        name: printable(candidate.picture.origin?.name ?? candidate.name), layout: candidate.planned.layout,
        time: PictureDate(candidate.picture.metadata()).map { Double($0.order) },
        traits: traits[place], hint: request.hint(for: candidate.picture) ?? DesignHint())
    }
    let captions = BookFormat.measurer(
      of: candidates.found.map(\.planned.caption), BookFormat.layout(arguments), arguments)
    var designed: BookDesigning.Designed
    do throws(PDFError) {
      designed = try designing.design(facts, sequence, captions: captions)
    } catch {
      throw error.pictureError
    }
    if checks.options.keepsSinkRecords {
      designed.record = DesignRecord(
        designed, candidates, request, hasCaptions: arguments.has("caption") || arguments.has("captions"))
    }
    let left = designed.leftOut
    designed.notes += Self.notes(of: left) { facts[$0].name }
    let dropped = Set(left.map { $0.picture })
    candidates.leaveOut(dropped)
    // The cells must refer to pictures by their indices among the remaining ones.
    var places: [Int: Int] = [:]
    for place in facts.indices where !dropped.contains(place) { places[place] = places.count }
    for page in designed.pages.indices {
      for cell in designed.pages[page].cells.indices {
        designed.pages[page].cells[cell].picture = places[designed.pages[page].cells[cell].picture]!
      }
    }
    return designed
  }

  /// Returns the pictures whose content the design must analyse: all except those that the script places and crops.
  private static func measured(_ places: Range<Int>, _ sequence: BookSequence) -> [Int] {
    var settled: Set<Int> = []
    for case .page(let index, let pictures) in sequence.sections.flatMap(\.parts) {
      let slots = sequence.pages[index].slots
      guard slots.count == pictures.count else { continue }
      for (slot, picture) in zip(slots, pictures) where slot.crop != nil { settled.insert(picture) }
    }
    return places.filter { !settled.contains($0) }
  }

  /// The maximum number of pictures that a note names.
  private static let mostNamed = 3

  /// Returns one note about the pictures that were left out because they resemble better ones.
  private static func notes(of left: [LeftOutPicture], naming name: (Int) -> String) -> [String] {
    let pairs = left.compactMap { one in
      if case .resembles(let better) = one.reason { "'\(name(one.picture))' ('\(name(better))')" } else { nil }
    }
    guard !pairs.isEmpty else { return [] }
    let shown = pairs.prefix(mostNamed).joined(separator: ", ")
    let rest = pairs.count > mostNamed ? " and \(pairs.count - mostNamed) more" : ""
    let what =
      pairs.count == 1
      ? "a picture resembles a better one and is" : "\(pairs.count) pictures resemble better ones and are"
    return ["\(what) left out: \(shown)\(rest); duplicates = true keeps them"]
  }
}
