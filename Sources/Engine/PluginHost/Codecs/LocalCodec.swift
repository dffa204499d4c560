import ImageCore
import Platform

extension CodecService {
  /// Makes the codec in this process answer a request.
  func answer(
    _ message: WireWriter, _ file: InputFile?, _ memory: Frame?, _ context: OperationContext,
    onLog: @escaping (_ level: UInt32, _ text: String) -> Void
  ) throws(CallFailure) -> (kind: Message, body: WireReader) {
    var call = Call(
      log: { level, text in onLog(level, WireReader.line(Array(text.utf8)[...])) },
      isCancelled: { context.isCancelled }, progress: { _ in })
    var content: (any FileContent)?
    if let file {
      do throws(FileError) { content = try LoadedFile(file) } catch { throw .plugin("cannot be read: \(error)") }
    }
    let answer: (kind: Message, body: WireReader)
    do throws(WireError) {
      var (kind, number, body) = try Message.open(message.bytes)
      let bytes = try self.answer(kind, number, &body, file: content, memory: memory, &call).bytes
      let (answered, _, answeredBody) = try Message.open(bytes)
      answer = (answered, answeredBody)
    } catch { throw .garbled }
    if context.isCancelled { throw .cancelled }
    return answer
  }
}

/// All bytes of a file, read into memory because a mapping would end the process if the file shrank.
private final class LoadedFile: FileContent {
  private let memory: UnsafeMutableRawBufferPointer
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

  init(_ file: InputFile) throws(FileError) {
    memory = .allocate(byteCount: max(file.byteCount, 1), alignment: 64)
    var filled = 0
    while filled < file.byteCount {
      let count = try file.read(
        at: filled, into: UnsafeMutableRawBufferPointer(rebasing: memory[filled..<file.byteCount]))
      guard count > 0 else { break }
      filled += count
    }
    // If the file shrank while it was read, the rest is zero.
    memset(memory.baseAddress! + filled, 0, memory.count - filled)
  }

  deinit { memory.deallocate() }
}
