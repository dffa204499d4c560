import ImageCore

/// The messages between host and worker, each a packet on a socket that keeps boundaries.
///
/// The worker first sends `description` or `refused`. Then, for each `call`, it sends any number of
/// `log` and one `done` or `failed` with the call's number. A codec's worker answers its own requests likewise.
package enum Message: UInt32 {
  case description = 1
  case refused = 2
  case call = 3
  case done = 4
  case failed = 5
  case log = 6
  /// Last words of a worker that touched memory that is not its own, or made a forbidden system call.
  case fault = 7
  /// The findings of a worker that tested its isolation.
  case isolation = 8
  /// The first message of a confined worker, with the descriptor at which it asks for threads: see `ThreadWarden`.
  case threads = 9

  // Requests to codecs. See `CodecService`.

  /// Opens a page of a file, whose descriptor comes along unless it is the file before. Answered by `opened`,
  /// `notMine` or `failed`.
  case open = 16
  case opened = 17
  /// The file is of another format.
  case notMine = 18
  /// Asks for a piece of a part of the open page's metadata.
  case metadata = 19
  /// Asks for rows of the open page.
  case read = 20
  /// Begins a file. Like all that follow, it is answered by the count of encoded bytes that wait.
  case begin = 21
  case rows = 22
  case endPage = 23
  case finish = 24
  /// Asks for encoded bytes.
  case take = 25
  /// Closes what is open, and forgets what is being written.
  case close = 26
  /// Hands over a piece of metadata for the next file to be written.
  case attach = 27
  /// Asks for the stored form of the open page. Answered by the count of its bytes, which wait to be taken, and a
  /// `StoredNote`.
  case stored = 28
  /// Makes a file of a JPEG, whose descriptor comes along. Answered like `begin`.
  case wrap = 29

  /// Marks the start of every message: "IMGP".
  package static let magic: UInt32 = 0x5047_4d49
  /// The most a message may hold.
  package static let maximumByteCount = 96 * 1024

  /// Starts a message.
  package func begin(call number: UInt64 = 0) -> WireWriter {
    var writer = WireWriter()
    writer.append(Self.magic)
    writer.append(rawValue)
    writer.append(number)
    return writer
  }

  /// Reads the header that `begin` writes; the reader is then at the body.
  package static func open(_ bytes: [UInt8]) throws(WireError) -> (kind: Message, call: UInt64, body: WireReader) {
    var reader = WireReader(bytes)
    guard try reader.integer(UInt32.self) == magic, let kind = Message(rawValue: try reader.integer(UInt32.self))
    else { throw WireError() }
    return (kind, try reader.integer(UInt64.self), reader)
  }
}

/// Bounds on what a plugin may say about itself; also written in `imghost_plugin.h`.
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

/// Why a worker could not even read a plugin's description.
package enum WorkerRefusal: UInt32 {
  /// The dynamic linker's words follow.
  case cannotLoad = 1
  case noEntry = 2
  /// The entry gave nothing back.
  case noDescription = 3
  /// The version it was built for follows.
  case wrongVersion = 4
  /// A struct is smaller than version 1 has it.
  case tooSmall = 5
  /// One of the three functions is missing.
  case noFunctions = 6
  case tooLong = 7
  /// A frei0r library that does not work; words follow.
  case frei0r = 8
  /// The table of a codec is missing, or lacks a function.
  case noCodec = 9
}
