import ImageCore
import Platform
import Testing

/// Every message of this module's errors. The `row` functions do not compile when an error has a new case without a
/// row here.
@Suite("Messages") struct MessageTests {
  static let argumentErrors: [(ArgumentError, String)] = [
    (
      .unknown(name: "widht", suggestion: "width", valid: ["width", "height"]),
      "unknown option 'widht' (did you mean 'width'?); valid: width, height"
    ),
    (.unknown(name: "x", suggestion: nil, valid: []), "unknown option 'x'; it takes none"),
    (
      .unknown(name: "out", suggestion: nil, valid: ["qos"]),
      "unknown option 'out'; the path is the first argument of save and img.book; valid: qos"
    ),
    (
      .wrongType(name: "width", expected: "a number", found: "a string"), "'width' takes a number, not a string"
    ),
    (
      .outOfRange(name: "width", value: "0", range: "a number of at least 1"),
      "'width' is 0; it takes a number of at least 1"
    ),
    (
      .refusedChoice(name: "fit", value: "outside", reason: "a page clips", valid: ["cover"]),
      "'fit' cannot be 'outside': a page clips; valid: cover"
    ),
    (
      .notAChoice(name: "fit", value: "covr", suggestion: "cover", valid: ["cover", "fill"]),
      "'fit' cannot be 'covr' (did you mean 'cover'?); valid: cover, fill"
    ),
    (.missing(name: "width"), "'width' is missing"),
    (.tooMany(allowed: 0, found: 1), "takes no arguments, but 1 was given"),
    (.tooMany(allowed: 0, found: 2), "takes no arguments, but 2 were given"),
    (
      .tooMany(allowed: 0, found: 1, example: "qos = …"), "takes options in a table, not by position: { qos = … }"
    ),
    (
      .tooMany(allowed: 1, found: 2, example: "qos = …"), "takes at most 1 argument by position, but 2 were given"
    ),
    (.tooMany(allowed: 2, found: 3), "takes at most 2 arguments by position, but 3 were given"),
    (.tableNotLast, "takes one table of options, as its last argument"),
    (.writtenAsText(name: "width", value: "400px", meant: "400"), "'width' is '400px'; write 400"),
    (.givenTwice(name: "width"), "'width' is given twice"),
    (
      .notAColour(name: "tint", value: "'redd'"),
      "'tint' is not a colour: 'redd'; use '#rrggbb', '#rrggbbaa', a CSS name, or { r, g, b }"
    ),
    (
      .wrongCount(name: "pair", expected: "a list of 2 numbers", found: 1), "'pair' takes a list of 2 numbers, not 1"
    ),
  ]

  private func row(_ error: ArgumentError) -> Int {
    switch error {
    case .unknown: 0
    case .wrongType: 1
    case .outOfRange: 2
    case .refusedChoice: 3
    case .notAChoice: 4
    case .missing: 5
    case .tooMany: 6
    case .givenTwice: 7
    case .notAColour: 8
    case .wrongCount: 9
    case .tableNotLast: 10
    case .writtenAsText: 11
    }
  }

  @Test func everyArgumentError() {
    for (error, text) in Self.argumentErrors { #expect(error.description == text) }
    #expect(Set(Self.argumentErrors.map { row($0.0) }) == Set(0...11))
  }

  @Test func namesOfManyOptionsAreShortened() {
    let valid = (1...13).map { "option\($0)" }
    let error = ArgumentError.unknown(
      name: "optoin1", suggestion: "option1", valid: valid, near: ["option1", "option11"])
    #expect(
      error.text(in: "save")
        == "unknown option 'optoin1' (did you mean 'option1'?); also near: option11; "
        + "see 'imghost ops save'")
    let elsewhere = ArgumentError.unknown(name: "layout", suggestion: nil, valid: ["qos"])
    #expect(
      elsewhere.text(in: "save") { _ in "img.book" }
        == "unknown option 'layout', which img.book takes; valid: qos")
  }

  static let pictureErrors: [(PictureError, String)] = [
    (.codec(.empty), "empty file"),
    (
      .operation(.unsuitable("'lower' must be less than 'upper'")), "'lower' must be less than 'upper'"
    ),
    (.file(FileError(.open, path: "a.jpg", code: EACCES)), "permission denied"),
    (
      .plugin(PluginFailure(plugin: "vignette", cause: OperationError.unsuitable("crashed (segmentation fault)"))),
      "plugin 'vignette' crashed (segmentation fault)"
    ),
    (.cancelled, "cancelled"),
  ]

  private func row(_ error: PictureError) -> Int {
    switch error {
    case .codec: 0
    case .operation: 1
    case .file: 2
    case .plugin: 3
    case .cancelled: 4
    }
  }

  @Test func everyPictureError() {
    for (error, text) in Self.pictureErrors { #expect(error.description == text) }
    #expect(Set(Self.pictureErrors.map { row($0.0) }) == Set(0...4))
  }

  static let operationErrors: [(OperationError, String)] = [
    (
      .regionOutside(Region(left: 10, top: 20, width: 300, height: 200), width: 100, height: 80),
      "the area 300x200 at (10, 20) is not inside the 100x80 picture"
    ),
    (
      .tooLarge(width: 2_000_000, height: 10),
      "the result would be 2000000x10 pixels; a picture has at most 1000000 a side and 4 gigapixels"
    ),
    (.unsuitable("'scale' cannot be 0"), "'scale' cannot be 0"),
    (.incomplete("give it 'points'"), "give it 'points'"),
    (.protected("the file was changed; use --overwrite"), "the file was changed; use --overwrite"),
  ]

  private func row(_ error: OperationError) -> Int {
    switch error {
    case .regionOutside: 0
    case .tooLarge: 1
    case .unsuitable: 2
    case .incomplete: 3
    case .protected: 4
    }
  }

  @Test func everyOperationError() {
    for (error, text) in Self.operationErrors { #expect(error.description == text) }
    #expect(Set(Self.operationErrors.map { row($0.0) }) == Set(0...4))
  }

  static let codecErrors: [(CodecError, String)] = [
    (
      .notRecognised(looksLike: "a GIF picture"),
      "unsupported file format (a GIF picture); no installed plugin reads it, see 'imghost plugins'"
    ),
    (.notRecognised(looksLike: nil), "unrecognized file format; see 'imghost plugins' for those it reads"),
    (.empty, "empty file"),
    (.truncated, "truncated file"),
    (.damaged("invalid chunk checksum"), "damaged file (invalid chunk checksum)"),
    (.changed, "damaged file (it changed while the script ran)"),
    (.unsupported("an arithmetic-coded JPEG"), "an arithmetic-coded JPEG is not supported"),
    (.tooLarge(width: 2_000_000, height: 1), "2000000x1 pixels are too many"),
    (.cannotEncode("this format is only read"), "this format is only read"),
    (.refused("ends in the middle of its pixels"), "ends in the middle of its pixels"),
    (.noPage(2, count: 1), "there is no page 2: the file has one page"),
    (.noPage(7, count: 3), "there is no page 7: the file has 3 pages"),
    (
      .overtime(seconds: 30),
      "decoding it took more than 30 s of its thread's processor time, the limit for a file of its size"
    ),
  ]

  private func row(_ error: CodecError) -> Int {
    switch error {
    case .notRecognised: 0
    case .empty: 1
    case .truncated: 2
    case .damaged: 3
    case .unsupported: 4
    case .tooLarge: 5
    case .cannotEncode: 6
    case .refused: 7
    case .noPage: 8
    case .overtime: 9
    }
  }

  @Test func everyCodecError() {
    for (error, text) in Self.codecErrors { #expect(error.description == text) }
    #expect(Set(Self.codecErrors.map { row($0.0) }) == Set(0...9))
  }

  static let fileErrors: [(FileError.Action, Int32, String)] = [
    (.open, ENOENT, "the file does not exist"),
    (.create, ENOENT, "the folder does not exist"),
    (.create, ENOTDIR, "a part of its path is a file, not a folder"),
    (.create, ELOOP, "a folder in its path was replaced by a link"),
    (.rename, ESTALE, "its folder was removed or renamed while it was written"),
    (.create, ENAMETOOLONG, "the name is too long"),
    (.write, EFBIG, "the file exceeds the size limit; see ulimit -f"),
    (.open, EISDIR, "it is a folder, not a file"),
    (.open, EINVAL, "it is not a regular file"),
    (.open, EACCES, "permission denied"),
    (.create, EPERM, "permission denied"),
    (.create, EROFS, "the file system is read-only"),
    (.write, ENOSPC, "the disk is full; free some space or write elsewhere with --out"),
    (
      .temporary, ENOSPC,
      "a temporary file in 'a.jpg' cannot be used: \(systemText(ENOSPC)); set TMPDIR to another folder"
    ),
    (.write, EDQUOT, "the disk quota is exceeded"),
    (.open, EMFILE, "too many open files; raise the limit with ulimit -n"),
    (.open, ENFILE, "too many open files; raise the limit with ulimit -n"),
    (.read, EIO, systemText(EIO)),
  ]

  @Test func roomForTemporaryFiles() {
    var error = FileError(.temporary, path: "/t", code: ENOSPC)
    error.byteCount = 32_000_001
    #expect(error.description.hasSuffix("; set TMPDIR to another folder, with room for 33 MB or more"))
  }

  @Test func fileErrors() {
    for (action, code, text) in Self.fileErrors {
      #expect(FileError(action, path: "a.jpg", code: code).description == text)
    }
  }
}
