import ImageCore

/// A file that contains several pictures, one after another; or the tiles of one picture, see `TilesFile`.
package protocol Document: AnyObject, Sendable {
  var job: Job { get }
  /// The document's index among the outputs of its job.
  var outputIndex: Int { get }

  /// The codec that encodes the document; nil for one that is written without a codec.
  var codec: (any PictureCodec)? { get }

  /// Whether the document contains no metadata of its pictures; see `OutputRecipe.ignoresMetadata`.
  var ignoresMetadata: Bool { get }

  /// Whether the document contains texts that are drawn with fonts.
  var drawsText: Bool { get }

  /// The given options that do not affect the document's bytes, because their values would apply anyway. For recipes.
  var optionsWithoutEffect: Set<String> { get }

  /// Prepares for pictures. Called once, before the first of them is submitted.
  func start(_ run: RunProgress)

  /// Returns the name of a picture's place in the document, for the printed plan: `out.pdf page 3`.
  func title(of page: DocumentEntry) -> String

  /// Makes the output that receives a picture's rows or its file.
  func makeOutput(_ page: DocumentEntry, _ run: RunProgress) -> any DocumentOutput

  /// Predicts the memory in bytes that a picture takes until it has been written to the document.
  ///
  /// - Parameter parallelism: the number of workers that may encode it.
  func byteCount(of page: DocumentEntry, _ layout: PictureLayout, parallelism: Int) -> Int

  /// Predicts the memory in bytes for work that is not in the row plan, such as the search for the part that a cropped
  /// picture shows.
  func searchByteCount(of page: DocumentEntry, _ environment: Environment) -> Int

  /// Returns the backpressure for a picture that would be submitted now; nil if it need not wait.
  func backpressure(on page: DocumentEntry, workers: Int) -> Backpressure?

  /// Whether the pictures may be divided among several shards.
  var isDivisible: Bool { get }

  /// Leaves a picture to another shard. Called before `start`.
  func leave(_ page: DocumentEntry, _ run: RunProgress)

  /// Returns the facts that a page depends on besides its picture, for recipes; nil if pages cannot be reused from an
  /// earlier document.
  func facts(of page: DocumentEntry) -> String?

  /// Returns a digest of a page's texts, such as its caption and its outline entry; empty if pages have no texts.
  func texts(of page: DocumentEntry) -> String

  /// Returns all facts that a page in a pack (see `ShardStore.pack`) depends on besides its picture and the options of
  /// the document.
  func packedFacts(of page: DocumentEntry) -> String

  /// Reuses pages of an earlier document. Called before `start`.
  ///
  /// - Parameter entries: the entries of those pages.
  func take(_ pages: EarlierPages, _ entries: [DocumentEntry])

  /// Whether the document can be a copy of an equal file of an earlier run.
  var canCopyEarlierFile: Bool { get }

  /// Makes the document a copy of an equal file of an earlier run; its pictures are then not made. Called before
  /// `start`.
  func take(_ file: EarlierFile)

  /// Assembles the document from the results of shards, instead of `start`. By default, takes the result of the one
  /// shard that made the whole document.
  ///
  /// - Parameter pages: all of its pictures, in order.
  func merge(_ pages: [DocumentEntry], _ shards: any FinishedShards, _ run: RunProgress)
}

extension Document {
  package var codec: (any PictureCodec)? { nil }
  package var ignoresMetadata: Bool { false }
  package var drawsText: Bool { false }
  package var optionsWithoutEffect: Set<String> { [] }
  package func searchByteCount(of page: DocumentEntry, _ environment: Environment) -> Int { 0 }
  package func facts(of page: DocumentEntry) -> String? { nil }
  package func texts(of page: DocumentEntry) -> String { "" }
  package func packedFacts(of page: DocumentEntry) -> String { "" }
  package func take(_ pages: EarlierPages, _ entries: [DocumentEntry]) {}
  package var canCopyEarlierFile: Bool { false }
  package func take(_ file: EarlierFile) { preconditionFailure("the document cannot be a copy") }
  package var isDivisible: Bool { false }
  package func merge(_ pages: [DocumentEntry], _ shards: any FinishedShards, _ run: RunProgress) {
    run.settle(job, outputIndex, by: shards)
  }
}

/// The reason why a picture should not be submitted now: too many pages wait to be written.
package enum Backpressure: Sendable {
  /// Another worker is writing pages: wait briefly.
  case writing
  /// An earlier page takes long: wait, but not indefinitely.
  case heldUp
  /// So many earlier pages are missing that waiting does not help: submit the page without keeping it in memory.
  case farAhead

  /// Chooses the backpressure for a page; nil for the next page to be written, and while few pages wait.
  ///
  /// - Parameters:
  ///   - distance: the number of pages from the next page to be written to this one.
  ///   - waiting: the number of pages that wait for earlier ones.
  package init?(distance: Int, waiting: Int, isWriting: Bool, workers: Int) {
    guard distance > 0, waiting >= 8 + 8 * workers else { return nil }
    // A page can only be far ahead if it shares a file with earlier pages, and so is made together with them.
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

  /// The picture's index among the document's pictures, from 0.
  package var index: Int { Int(storedIndex) }
  /// The file whose bytes are stored unchanged; nil if the picture is encoded.
  package var copiesSource: PictureFile? { copies ? picture.origin : nil }
  /// The picture's name in messages.
  package var name: String { picture.name(at: index) }
  var job: Job { document.job }

  /// Returns the entry with an equal picture in place of its own.
  func with(_ picture: Picture) -> Self {
    var other = self
    other.picture = picture
    return other
  }
}

/// An output that passes a picture to its document.
package protocol DocumentOutput: TaskOutput {
  /// Submits a picture that is stored as its file's own bytes.
  ///
  /// - Parameters:
  ///   - keepsBytes: whether a small file's bytes stay in memory until they are written.
  ///   - context: the context of the search for the part that the page shows; nil if there is too little memory for the
  ///     search.
  /// - Returns: false if the picture has to be encoded after all, for a reason that has been noted.
  func deliverSource(keepsBytes: Bool, _ context: OperationContext?) -> Bool
}
