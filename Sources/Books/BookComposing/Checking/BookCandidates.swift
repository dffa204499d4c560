import ImageCore
import ImagePipeline
import PDFBook

/// A picture of a book whose header can be read.
struct BookCandidate {
  let picture: Picture
  /// The index of `picture` in `OutputRequest.pictures`.
  let index: Int
  /// The index among the pictures of the book; see `BookCandidates.settle`.
  var place = 0
  let texts: PageTexts
  let planned: CaptionedPicture
  /// The stored form of the picture; nil until it is decided.
  var prepared: PreparedForBook?

  var name: String { picture.name(at: index) }
}

/// The pictures of one call of `book`: those that can be in the book, in order, and those that cannot.
struct BookCandidates {
  var found: [BookCandidate] = []
  /// The pictures that cannot be in the book because of a problem, by their indices in the call.
  var lost: [(index: Int, problem: Picture.Problem)] = []
  /// The pictures left out because of hints or the design, by their indices in the call.
  var leftOut: [Int] = []
  /// Whether other pictures keep their places if one is lost; otherwise they move up.
  var keepsPlaces = false

  /// The pictures to be arranged. If pictures keep their places, placeholders replace lost ones.
  var planned: [CaptionedPicture] {
    guard keepsPlaces, !lost.isEmpty else { return found.map(\.planned) }
    var all = [CaptionedPicture](repeating: .standIn, count: found.count + lost.count)
    for one in found { all[one.index] = one.planned }
    return all
  }

  /// Converts a range of picture indices in the call to the range in the book. Pictures that are lost or left out do
  /// not count, unless `keepsPlaces` is true.
  func places(of pictures: Range<Int>) -> Range<Int> {
    keepsPlaces ? pictures : place(of: pictures.lowerBound)..<place(of: pictures.upperBound)
  }

  /// Returns the number of pictures in the book that precede the picture with this index in the call.
  private func place(of index: Int) -> Int {
    var (low, high) = (0, found.count)
    while low < high {
      let middle = (low + high) / 2
      if found[middle].index < index { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Moves the pictures at these indices of `found` to `leftOut`.
  mutating func leaveOut(_ places: Set<Int>) {
    guard !places.isEmpty else { return }
    leftOut += places.map { found[$0].index }
    found = found.enumerated().filter { !places.contains($0.offset) }.map(\.element)
  }

  /// Converts a picture's index in the call to its index among the pictures that are not in `leftOut`.
  func wantedPlace(of index: Int) -> Int { index - leftOut.count { $0 < index } }

  /// Assigns the found pictures their indices in the book.
  mutating func settle() {
    for index in found.indices { found[index].place = keepsPlaces ? found[index].index : index }
  }

  /// Returns the name, for messages, of the picture at this index in the book.
  func name(at place: Int) -> String {
    keepsPlaces ? found.first { $0.place == place }?.name ?? "picture \(place + 1)" : found[place].name
  }

  /// Moves the pictures whose indices in `found` are the keys of `problems` to `lost`.
  mutating func lose(_ problems: [Int: String], _ request: OutputRequest) {
    guard !problems.isEmpty else { return }
    for (place, problem) in problems.sorted(by: { $0.key < $1.key }) {
      let page = found[place]
      lost.append((page.index, .diagnostic(request.diagnostic(problem, page.picture, page.index))))
    }
    found = found.enumerated().filter { problems[$0.offset] == nil }.map(\.element)
  }
}
