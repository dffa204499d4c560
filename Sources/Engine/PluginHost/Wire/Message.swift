import ImageCore

/// The messages between host and worker. Each message is one packet on a socket that preserves message boundaries.
///
/// A confined worker first sends `threads`. Then each worker sends `description` or `refused` and, for each `call`, any
/// number of `log` messages and one `done` or `failed` with the call's number. A codec's worker answers its requests in
/// the same way.
package enum Message: UInt32 {
  case description = 1
  case refused = 2
  case call = 3
  case done = 4
  case failed = 5
  case log = 6
  /// The last message of a worker whose plugin accessed memory outside its buffers, or made a forbidden system call.
  case fault = 7
  /// The findings of a worker that tested its isolation.
  case isolation = 8
  /// The first message of a confined worker, with the descriptor for its thread requests: see `ThreadWarden`.
  case threads = 9

  // Requests to codecs. See `CodecService`.

  /// Opens a page of a file. The file's descriptor is sent along, unless the worker still has the file open.
  /// Answered by `opened`, `notMine` or `failed`.
  case open = 16
  case opened = 17
  /// The file has another format.
  case notMine = 18
  /// Requests a piece of the open page's metadata.
  case metadata = 19
  /// Requests rows of the open page.
  case read = 20
  /// Begins a file. Like `rows`, `endPage`, `finish` and `take`, this request is answered with the number of encoded
  /// bytes that are ready to be taken.
  case begin = 21
  case rows = 22
  case endPage = 23
  case finish = 24
  /// Requests encoded bytes.
  case take = 25
  /// Closes open files, and discards the file that is being written.
  case close = 26
  /// Sends a piece of metadata for the next file to be written.
  case attach = 27
  /// Requests the stored form of the open page. Answered with the number of bytes that are ready to be taken, and a
  /// `StoredNote`.
  case stored = 28
  /// Creates a file from a JPEG, whose descriptor is sent along. Answered like `begin`.
  case wrap = 29
  /// Creates a file from the coded pixels of another file, whose descriptor is sent along, and the metadata sent by
  /// `attach`. Answered like `begin`, or by `notMine` if the pixels have to be encoded.
  case rewrite = 30

  /// The start of every message: "IMGP".
  package static let magic: UInt32 = 0x5047_4d49
  /// The largest size of a message.
  package static let maximumByteCount = 96 * 1024

  /// Returns a writer with the header of a message; the body is appended to it.
  package func begin(call number: UInt64 = 0) -> WireWriter {
    var writer = WireWriter()
    writer.append(Self.magic)
    writer.append(rawValue)
    writer.append(number)
    return writer
  }

  /// Reads the header that `begin` writes, and returns it with a reader of the body.
  package static func open(_ bytes: [UInt8]) throws(WireError) -> (kind: Message, call: UInt64, body: WireReader) {
    var reader = WireReader(bytes)
    guard try reader.integer(UInt32.self) == magic, let kind = Message(rawValue: try reader.integer(UInt32.self))
    else { throw WireError() }
    return (kind, try reader.integer(UInt64.self), reader)
  }
}

/// Limits for a plugin's description; also documented in `imghost_plugin.h`.
package enum Limits {
  package static let name = 64
  package static let version = 64
  package static let unit = 32
  package static let text = 512
  package static let parameters = 64
  package static let choices = 64
  package static let inputs = 8
  package static let dataPaths = 16
  package static let extensions = 16
  package static let signatures = 64
}

/// The reason why a worker could not read a plugin's description.
package enum WorkerRefusal: UInt32 {
  /// The library cannot be loaded; the dynamic linker's message follows.
  case cannotLoad = 1
  case noEntry = 2
  /// The entry function returned NULL.
  case noDescription = 3
  /// The plugin was built for another version, which follows.
  case wrongVersion = 4
  /// A struct is smaller than in version 1.
  case tooSmall = 5
  /// One of the three required functions is missing.
  case noFunctions = 6
  case tooLong = 7
  /// A frei0r library does not work; a message follows.
  case frei0r = 8
  /// The table of a codec is missing, or lacks a function.
  case noCodec = 9
}
