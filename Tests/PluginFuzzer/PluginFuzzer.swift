import Platform
import PluginHost

/// Whether codecs are fuzzed: Scripts/dev/fuzz-codecs.
private let fuzzesCodecs = getenv("IMGHOST_FUZZ_CODECS") != nil

/// libFuzzer's entry: a message of a worker's, as the host reads it. What is read must be whole, and what is
/// written of it again must read the same. Built by Scripts/dev/fuzz-plugins and fuzz-codecs alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: min(count, Message.maximumByteCount)))
  WorkerAnswers.read(bytes)
  if fuzzesCodecs { CodecAnswers.read(bytes) }
  return 0
}
