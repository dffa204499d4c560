import ImageCore

/// A file that takes several pictures, one after another.
package protocol Document: AnyObject, Sendable {
  var job: Job { get }
  /// The document's place among the outputs of the job.
  var outputIndex: Int { get }

  /// The codec that encodes the document; nil for one that is written without a codec.
  var codec: (any PictureCodec)? { get }

  /// Gets ready for pictures. Called once, before the first of them is submitted.
  func start(_ run: RunProgress)

  /// Returns the name of a picture's place in the document, for the plan: `out.pdf page 3`.
  func title(of page: DocumentEntry) -> String

  /// Makes the output that takes a picture's rows or its file.
  func makeOutput(_ page: DocumentEntry, _ run: RunProgress) -> any DocumentOutput

  /// Predicts the bytes that a picture holds until it is in the document.
  ///
  /// - Parameter parallelism: the workers that may encode it.
  func byteCount(of page: DocumentEntry, _ layout: PictureLayout, parallelism: Int) -> Int

  /// Predicts the bytes that work in addition to the plan takes, such as the search for what a cut picture shows.
  func searchByteCount(of page: DocumentEntry, _ environment: Environment) -> Int

  /// Returns the backpressure on a picture that is handed in now; nil if it may go on.
  func backpressure(on page: DocumentEntry, workers: Int) -> Backpressure?

  /// Whether several shards may each make some of its pictures.
  var isDivisible: Bool { get }

  /// Leaves a picture to another shard. Called before `start`.
  func leave(_ page: DocumentEntry, _ run: RunProgress)

  /// Facts on which a page depends beside its picture, for recipes; nil if pages cannot be taken from an earlier
  /// document.
  func facts(of page: DocumentEntry) -> String?

  /// Takes pages from an earlier document. Called before `start`.
  ///
  /// - Parameter entries: the entries of those pages.
  func take(_ pages: EarlierPages, _ entries: [DocumentEntry])

  /// Puts the document together from what shards have made, instead of `start`.
  ///
  /// - Parameter pages: all of its pictures, in their order.
  func merge(_ pages: [DocumentEntry], _ shards: any FinishedShards, _ run: RunProgress)
}

extension Document {
  package var codec: (any PictureCodec)? { nil }
  package func facts(of page: DocumentEntry) -> String? { nil }
  package func take(_ pages: EarlierPages, _ entries: [DocumentEntry]) {}
  package var isDivisible: Bool { false }
}

/// The reason why a picture should not be handed in now: too many wait to be written.
package enum Backpressure: Sendable {
  /// Another worker is writing pages: wait for a moment.
  case writing
  /// An earlier page takes long: wait, but not for ever.
  case heldUp
  /// Too many earlier pages are missing for a wait to help: keep nothing in memory.
  case farAhead

  /// Nil for the page that is written next, and while few pages wait.
  ///
  /// - Parameters:
  ///   - distance: the number of pages from the one that is written next to this one.
  ///   - waiting: the number of pages that wait for earlier ones.
  package init?(distance: Int, waiting: Int, isWriting: Bool, workers: Int) {
    guard distance > 0, waiting >= 8 + 8 * workers else { return nil }
    // Pages of one file may be far apart; those of neighbours never are.
    let isNear = distance <= 64 * workers
    self = !isNear ? .farAhead : isWriting ? .writing : .heldUp
  }
}

/// One picture of a document.
package struct DocumentEntry: Sendable {
  package let document: any Document
  package private(set) var picture: Picture
  private let storedIndex: Int32
  private let copies: Bool

  package init(document: any Document, picture: Picture, index: Int, copiesSource: Bool) {
    self.document = document
    self.picture = picture
    storedIndex = Int32(index)
    copies = copiesSource
  }

  /// Its place among the pictures of the call, from 0.
  package var index: Int { Int(storedIndex) }
  /// The file whose bytes are stored unchanged; nil if the picture is encoded.
  package var copiesSource: PictureFile? { copies ? picture.origin : nil }
  /// The picture's name in messages.
  package var name: String { picture.name(at: index) }
  var job: Job { document.job }

  /// Returns the output with an equal picture in the place of its own.
  func with(_ picture: Picture) -> Self {
    var other = self
    other.picture = picture
    return other
  }
}

/// An output that hands a picture to its document.
package protocol DocumentOutput: TaskOutput {
  /// Hands in a picture that is stored as its file's own bytes.
  ///
  /// - Parameters:
  ///   - keepsBytes: whether a small file's bytes stay in memory until they are written.
  ///   - context: allows a search for what its page shows; nil if there is no memory for that.
  /// - Returns: False if the picture has to be encoded after all, for a reason that has been noted.
  func deliverSource(keepsBytes: Bool, _ context: OperationContext?) -> Bool
}
