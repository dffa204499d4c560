/// The reason why a picture file cannot be read or written.
public enum CodecError: Error, Sendable, Equatable {
  /// No codec recognises the file. `looksLike` names its format if it is known: "a GIF picture". `remedy` says what to
  /// install.
  case notRecognised(looksLike: String?, remedy: String? = nil)
  case empty
  case truncated
  /// The file is damaged; the text is the decoder's message.
  case damaged(String)
  case unsupported(String)
  /// The file is rejected; the text is a clause about it, such as "ends in the middle of its pixels".
  case refused(String)
  /// The script requests a page with this number, and the file has only `count` pages.
  case noPage(Int, count: Int)
  case tooLarge(width: Int, height: Int)
  case cannotEncode(String)
  /// Decoding exceeded this limit, in seconds of processor time; see `DecodingTime`.
  case overtime(seconds: Double)

  /// The file was changed or replaced after its header was read.
  public static let changed = CodecError.damaged("it changed while the script ran")
}

extension CodecError: CustomStringConvertible {
  public var description: String { advice.map { "\(reason); \($0)" } ?? reason }

  private var advice: String? {
    switch self {
    case .notRecognised(.some, let remedy): remedy ?? "no installed plugin reads it, see 'imghost plugins'"
    case .notRecognised(nil, _): "see 'imghost plugins' for those it reads"
    default: nil
    }
  }

  /// The problem, without advice.
  public var reason: String {
    switch self {
    case .notRecognised(let kind?, _): "unsupported file format (\(kind))"
    case .notRecognised(nil, _): "unrecognized file format"
    case .empty: "empty file"
    case .truncated: "truncated file"
    case .damaged(let words): "damaged file (\(words))"
    case .unsupported(let feature): "\(feature) is not supported"
    case .refused(let clause): clause
    case .noPage(let page, 1): "there is no page \(page): the file has one page"
    case .noPage(let page, let count): "there is no page \(page): the file has \(count) pages"
    case .tooLarge(let width, let height): "\(width)x\(height) pixels are too many"
    case .cannotEncode(let reason): reason
    case .overtime(let seconds):
      "decoding it took more than \(ParameterValue.text(seconds)) s of its thread's processor time, the limit for a file of "
        + "its size"
    }
  }
}
