import ImageCore
import Scheduling

/// One call of `save` or `book`, recorded while the script runs.
struct Sink: Sendable {
  enum Target: Sendable, Equatable {
    /// A file for each picture.
    case files(template: String, options: RawArguments)
    /// One document.
    case book(path: String, options: RawArguments)
  }

  let target: Target
  let pictures: [Picture]
  let job: Job
  let position: ScriptPosition?
  /// The book inside a cover.
  var coverOf: Job?
  /// Whether it is a book that nobody binds.
  var isContactSheet = false

  var isBook: Bool {
    if case .book = target { true } else { false }
  }

  /// Settles the job as a dry run does.
  func markPlanned() {
    job.state.withLock { $0.result.isPlanned = true }
  }
}

/// How the files of a `save` are written. One object for all that are written alike.
final class SaveFormat: Sendable {
  let codec: any PictureCodec
  /// Checked options.
  let arguments: Arguments

  init(codec: any PictureCodec, arguments: Arguments) {
    self.codec = codec
    self.arguments = arguments
  }

  /// What removed alpha shows.
  var background: Colour { arguments.colour("background") }
}

/// One file that a checked `save` will write.
struct FileOutput: Sendable {
  private(set) var picture: Picture
  let format: SaveFormat
  let job: Job
  /// Where the file will lie, links followed.
  let place: SplitPath
  /// The output's place in the job.
  private let storedIndex: Int32
  private let copies: Bool

  init(
    picture: Picture, format: SaveFormat, copiesSource: Bool, job: Job, place: SplitPath, index: Int
  ) {
    self.place = place
    self.picture = picture
    self.format = format
    self.job = job
    storedIndex = Int32(index)
    copies = copiesSource
  }

  /// The same file of a picture that is described alike.
  func with(_ picture: Picture) -> Self {
    var other = self
    other.picture = picture
    return other
  }

  var index: Int { Int(storedIndex) }
  /// Where it goes, which the job knows.
  var path: String { job.state.withLock { $0.result.outputs[index].path } }
  /// The file whose own bytes are what is wanted.
  var copiesSource: PictureFile? { copies ? picture.origin : nil }
  var position: ScriptPosition? { job.position }
}

/// One picture of a checked `book`.
struct PageOutput: Sendable {
  let assembler: BookAssembler
  private(set) var picture: Picture
  let texts: PageTexts
  private let storedIndex: Int32
  private let storedPlace: Int32
  /// How it is stored where it is encoded.
  let isLossless: Bool
  private let copies: Bool

  init(
    assembler: BookAssembler, picture: Picture, index: Int, texts: PageTexts, place: Int,
    isLossless: Bool, copiesSource: Bool
  ) {
    self.assembler = assembler
    self.picture = picture
    self.texts = texts
    storedIndex = Int32(index)
    storedPlace = Int32(place)
    self.isLossless = isLossless
    copies = copiesSource
  }

  /// From 0.
  var index: Int { Int(storedIndex) }
  /// The picture's place in the book's plan.
  var place: Int { Int(storedPlace) }
  /// The file whose bytes are stored as they are.
  var copiesSource: PictureFile? { copies ? picture.origin : nil }
  /// What messages call its picture.
  var name: String { picture.name(at: index) }
  /// The part of it that is shown; nil for what the plan knows without its pixels.
  var cut: BookCut? { assembler.plan?.cut(ofPicture: place) }

  /// The same page of a picture that is described alike.
  func with(_ picture: Picture) -> Self {
    var other = self
    other.picture = picture
    return other
  }
}

extension Picture {
  /// What messages about a book call it: the file that it was made of, or its place, counted from 0.
  func name(at index: Int) -> String { PictureFile.name(of: origin, at: index) }
}

extension PictureFile {
  /// The same of the file that a picture was made of; nil for none.
  static func name(of origin: PictureFile?, at index: Int) -> String {
    origin.map { "'\(printable($0.name))'" } ?? "picture \(index + 1)"
  }
}

/// Who writes a path: where the script says so, and from which file.
struct OutputClaim: Sendable {
  let job: Job
  let source: PictureFile?
  /// As the script gave it.
  let path: SplitPath

  /// Whether another job may write there: this one was cancelled and writes no more.
  var isGivenUp: Bool { job.isFinished && job.result.isCancelled }
}
