import ImageCore
import CPluginABI
import CProcesses
import CWorkerMemory
import Platform
import PluginHost

/// Answers the host's requests to a codec until the host closes the channel.
final class CodecServer {
  private let service: CodecService
  /// The open file, which the service owns.
  private weak var opened: MappedFile?

  init(_ codec: CodecTables) { service = CodecService(codec) }

  func run() {
    var frame: MappedFrame?
    while let (bytes, descriptors) = Channel.receive() {
      guard let answer = try? answer(bytes, descriptors, &frame) else { return }
      Channel.send(answer)
    }
  }

  private func answer(_ bytes: [UInt8], _ descriptors: [Int32], _ frame: inout MappedFrame?) throws -> WireWriter {
    var (kind, number, body) = try Message.open(bytes)
    shim_name_call(number)
    var file: MappedFile?
    switch kind {
    case .open, .wrap, .rewrite:
      let note = try FileNote(from: &body)
      guard note.byteCount == nil || descriptors.count == 1 else { throw WireError() }
      if let byteCount = note.byteCount {
        // The previous file is closed first, to free its memory. Before a rewrite, `close` would discard the metadata
        // that the host has already sent for the new file.
        if kind != .rewrite { service.close() }
        guard let mapped = MappedFile(descriptors[0], byteCount: byteCount) else {
          return Channel.failure(call: number, "needs more memory than is free")
        }
        file = mapped
        opened = mapped
      }
    case .read, .rows, .take:
      let note = try MemoryNote(from: &body)
      if !descriptors.isEmpty {
        frame = nil
        frame = MappedFrame(note, descriptors: descriptors)
      }
      guard frame?.identifier == note.frame else {
        return Channel.failure(call: number, "needs more memory than is free")
      }
    default: break
    }
    if file != nil || kind == .begin { cworker_memory_set_stack() }
    let flags = frame?.flags
    var call = Call(
      log: { Channel.sendLog(call: number, $0, $1) }, isCancelled: { flags?.isCancelled ?? false },
      progress: { _ in })
    let answer = try service.answer(kind, number, &body, file: file, memory: frame, &call)
    if kind == .read { opened?.giveBack() }
    return answer
  }
}

/// A file that the host has opened, mapped for reading.
private final class MappedFile: FileContent {
  let bytes: UnsafeRawBufferPointer

  /// Maps the descriptor and closes it; nil if the mapping fails. Wraps `mmap(2)`.
  init?(_ descriptor: Int32, byteCount: Int) {
    defer { close(descriptor) }
    guard byteCount > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    let memory = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { return nil }
    bytes = UnsafeRawBufferPointer(start: memory, count: byteCount)
  }

  /// Releases the memory of pages that were already read. If they are read again, they come from the system's cache.
  /// Wraps `madvise(2)`.
  ///
  /// Most codecs read a file from beginning to end. For small files the calls would cost more than they save.
  func giveBack() {
    guard let start = bytes.baseAddress, bytes.count > 1 << 20 else { return }
    _ = madvise(UnsafeMutableRawPointer(mutating: start), bytes.count, Int32(MADV_DONTNEED))
  }

  deinit { if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) } }
}
