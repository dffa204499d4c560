import ImageCore
import PDFBook

extension PictureError {
  /// Calls `body`, and converts its errors about files and books to the engine's error type.
  static func known<Value>(_ body: () throws -> Value) throws(PictureError) -> Value {
    do { return try body() } catch { throw PictureError(known: error) }
  }

  /// Converts an error about a file or a book to the engine's error type.
  init(known error: any Error) {
    switch error {
    case let error as PNGFault: self = error.pictureError
    case let error as JPEGFault: self = error.pictureError
    case let error as FaxFault: self = .codec(.damaged(error.description))
    case let error as PictureError: self = error
    case let error as PDFError: self = error.pictureError
    case let error as FileError: self = .file(error)
    default: preconditionFailure("unexpected error: \(error)")
    }
  }
}

extension PDFError {
  /// The corresponding error of the engine, about a file or about the request.
  var pictureError: PictureError {
    switch self {
    case .file(let error), .source(let error): .file(error)
    default: .operation(.unsuitable(description))
    }
  }
}

extension JPEGFault {
  var pictureError: PictureError {
    switch self {
    case .file(let error): .file(error)
    case .damaged(let words): .codec(.damaged(words))
    case .truncated: .codec(.truncated)
    default: .codec(.damaged("it \(description)"))
    }
  }
}

extension PNGFault {
  var pictureError: PictureError {
    if case .file(let error) = self { .file(error) } else { .codec(.damaged(description)) }
  }
}
