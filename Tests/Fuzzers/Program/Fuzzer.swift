import Platform

/// The target that the environment variable `IMGHOST_FUZZ_TARGET` names.
private let target: FuzzTarget = {
  let name = getenv("IMGHOST_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    let names = FuzzTarget.all.map(\.name).joined(separator: " ")
    fatalError("set IMGHOST_FUZZ_TARGET to one of: \(names)")
  }
  return target
}()

/// Gives libFuzzer's bytes to a parser. Built by Scripts/dev/fuzz alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  target.read(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
