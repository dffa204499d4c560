import ImageCore
import ImagePipeline
import PDFBook

/// Converts pictures to a printer's CMYK, for books whose standard allows nothing else.
struct InkConversion {
  private let step: Picture.Step
  private let profile: [UInt8]

  /// Returns the picture in the printer's CMYK. A CMYK JPEG with the printer's profile, or without a profile, is stored
  /// unchanged.
  func applied(to prepared: PreparedForBook, _ request: OutputRequest) -> PreparedForBook {
    if let file = prepared.copiedFile, let header = try? file.wholeHeader(), header.codec == "jpeg",
      header.layout.format.model == .cmyk, header.metadata.iccProfile.isEmpty || header.metadata.iccProfile == profile
    {
      return prepared
    }
    return PreparedForBook(
      picture: converted(prepared.picture, request), isLossless: prepared.isLossless, copiesSource: false)
  }

  /// Converts a picture to the printer's CMYK, and then cuts it for its cell. In this order, a CMYK file is not
  /// converted to RGB in between. If the cut cannot process CMYK, the picture is cut first.
  func applied(to picture: Picture, _ request: OutputRequest, _ cutting: (Picture) -> Picture) -> Picture {
    let first = cutting(converted(picture, request))
    return (try? first.info()) == nil ? converted(cutting(picture), request) : first
  }

  private func converted(_ picture: Picture, _ request: OutputRequest) -> Picture {
    if (try? picture.info())?.layout.format.model == .cmyk, picture.metadata().iccProfile == profile { return picture }
    return Picture(step, inputs: [picture], position: request.position)
  }

  fileprivate init(step: Picture.Step, profile: [UInt8]) { (self.step, self.profile) = (step, profile) }
}

extension BookChecker {
  /// Returns the conversion that a book's standard needs; nil if it needs none, or if options are wrong.
  func inkConversion(_ arguments: Arguments) -> InkConversion? {
    let settings = DocumentSettings(arguments, creationTime: nil)
    guard settings.conformance?.isInk == true, let intent = try? settings.outputIntent(),
      let definition = checks.environment.operations.first(where: { $0.descriptor.name == "to_profile" })
    else { return nil }
    let name = settings.printer.lowercased() == OutputIntent.standard ? StandardProfile.cmyk.rawValue : settings.printer
    let raw = RawArguments(named: [("profile", .text(name))])
    guard let values = try? Arguments(raw, for: definition.descriptor), let operation = try? definition.make(values)
    else { return nil }
    return InkConversion(step: .operation(name: "to_profile", operation, values), profile: intent.profile)
  }
}
