import ImageCore
import ImagePipeline
import PDFBook

/// Books that a merge writes from the packs of the shards (see `PagePackWriter`), without running the script.
extension BookAssembler {
  /// Records, in a shard's manifest, the facts that let the merge write the book, or the reason why it must run the
  /// script.
  func record(in store: any ShardStore) {
    let place = position.map { " in \($0.file):\($0.line)" } ?? ""
    guard let plan else { return store.needScript("a book without pictures" + place) }
    guard plan.isOnePicturePerPage else { return store.needScript("a book with planned pages" + place) }
    guard book.hashed == nil else { return store.needScript("a book with {hash} in its name" + place) }
    // Other users may read the folder of manifests.
    guard !arguments.has("password"), !arguments.has("owner_password") else {
      return store.needScript("a book with a password" + place)
    }
    guard book.options.named.allSatisfy({ $0.value.isPlain }) else {
      return store.needScript("a book with options that name jobs" + place)
    }
    store.planned(
      RecordedDocument(
        path: path, position: position, pictureCount: pictureCount, lost: excluded.sorted(),
        options: book.options.withFewTexts))
  }

  /// Creates a book from its record. Returns nil if the recorded options are invalid, put several pictures on a page,
  /// or include a colophon.
  convenience init?(_ recorded: RecordedDocument, _ job: Job, _ options: RunOptions, _ sink: BookSink) {
    guard var arguments = try? Arguments(recorded.options, parameters: BookOptions.all, positionalCount: 0) else {
      return nil
    }
    arguments = arguments.withDefaults(CaptionOptions.defaults(for: arguments))
    guard BookOptions.problems(with: arguments, sink.tools.verifier).isEmpty, !arguments.has("colophon"),
      let plan = try? BookFormat.arrange([], BookFormat.layout(arguments), arguments), plan.isOnePicturePerPage
    else { return nil }
    self.init(
      Book(
        path: recorded.path, place: InternedPath(realPathOf: recorded.path), hashed: nil, key: recorded.path,
        pictureCount: recorded.pictureCount, plan: plan, arguments: arguments, options: recorded.options,
        skipsFailedPages: options.onError == .continue, job: job, position: recorded.position),
      pages: [], sink)
    for index in recorded.lost { excludeBeforeStart(index) }
  }
}

extension RawArguments {
  /// The options with only the first text in each of `captions` and `alt_texts`: the packs contain the texts of all
  /// pictures.
  fileprivate var withFewTexts: RawArguments {
    var few = self
    for index in few.named.indices where ["captions", "alt_texts"].contains(few.named[index].name) {
      switch few.named[index].value {
      case .list(let items): few.named[index].value = .list(Array(items.prefix(1)))
      case .fields(let fields):
        let first = fields.min { $0.key < $1.key }
        few.named[index].value = .fields(first.map { [$0.key: $0.value] } ?? [:])
      default: break
      }
    }
    return few
  }
}
