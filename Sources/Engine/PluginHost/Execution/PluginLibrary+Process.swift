import CPluginABI
import Platform

extension PluginLibrary {
  func process(_ work: PluginWork, _ call: UnsafeMutablePointer<Call>) -> Bool {
    let opaque = OpaquePointer(call)
    guard let instance = create(opaque, work.values) else { return false }
    var more: [UnsafeMutableRawPointer] = []
    defer { for instance in [instance] + more { plugin.pointee.destroy(instance) } }
    while work.mode == .instances && more.count < 3 {
      guard let instance = create(opaque, work.values) else { return false }
      more.append(instance)
    }
    let call = PluginCall(
      plugin: plugin.pointee, call: opaque,
      inputs: work.inputs.map { picture(work.picture, $0, isWritable: false) },
      output: picture(work.picture, work.output, isWritable: true), rows: work.rows)
    return call.run(work.mode, instance, more: more)
  }

  private func create(_ call: OpaquePointer, _ values: [WireValue]) -> UnsafeMutableRawPointer? {
    let texts = values.map { value in value.text.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    let values = zip(values, texts).map { value, text in
      imghost_value(
        numbers: (value.numbers[0], value.numbers[1], value.numbers[2], value.numbers[3]), text: UnsafePointer(text))
    }
    return plugin.pointee.create(call, values, UInt32(values.count))
  }

  private func picture(_ picture: WirePicture, _ rows: UnsafeMutableRawPointer, isWritable: Bool) -> imghost_picture {
    let (width, height) = (Int32(picture.width), Int32(picture.height))
    return imghost_picture(
      struct_size: UInt32(MemoryLayout<imghost_picture>.size), sample: picture.sample,
      bands: picture.bands, alpha: picture.alpha, width: width, height: height,
      valid: imghost_region(left: 0, top: 0, width: width, height: height),
      stride: Int(picture.stride), pixels: rows, writable: isWritable ? rows : nil)
  }
}
