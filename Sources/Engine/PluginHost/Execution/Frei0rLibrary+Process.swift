import CFrei0r
import Platform

extension Frei0rLibrary {
  /// Makes one picture with an instance of its own, because at least 11 of Debian's plugins keep something from one
  /// picture to the next.
  ///
  /// Only values other than the plugin's defaults are set, because some plugins do not accept their own defaults.
  func process(_ work: PluginWork, _ call: UnsafeMutablePointer<Call>) -> Bool {
    let picture = work.picture
    // Random numbers are the same for each picture, unless the plugin seeds them itself.
    srand(1)
    srand48(1)
    guard work.inputs.count == inputCount,
      work.values.count == parameters.count + (hasTime ? 1 : 0),
      let instance = functions.construct(picture.width, picture.height)
    else {
      call.pointee.error = "does not take pictures of \(picture.width)x\(picture.height) pixels"
      return false
    }
    defer { functions.destruct(instance) }
    for (index, parameter) in parameters.enumerated()
    where !parameter.isInitial(work.values[index]) {
      parameter.set(work.values[index], Int32(index), instance, functions.setValue)
    }
    let time = hasTime ? work.values[parameters.count].numbers[0] : 0
    let output = work.output.assumingMemoryBound(to: UInt32.self)
    func input(_ index: Int) -> UnsafePointer<UInt32>? {
      guard index < work.inputs.count else { return nil }
      return UnsafePointer(work.inputs[index].assumingMemoryBound(to: UInt32.self))
    }
    if let update = functions.update, inputCount < 2 {
      update(instance, time, input(0), output)
    } else if let update2 = functions.update2 {
      update2(instance, time, input(0), input(1), input(2), output)
    }
    return true
  }
}
