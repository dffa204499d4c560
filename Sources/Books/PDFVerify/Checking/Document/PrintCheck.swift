import BookExpectations
import ImageCore

/// Checks a document that claims PDF/X against the requirements of ISO 15930 for the file as a whole. Part 4 (2003) is
/// PDF/X-1a, based on PDF 1.4; part 7 (2010) is PDF/X-4, based on PDF 1.6.
struct PrintCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard let claim = PrintClaim(document.file, document.metadata.packet) else { return [] }
    let rules = PrintDocumentRules(document: document, claim: claim)
    return rules.intent() + rules.statements() + rules.structure() + rules.actions()
  }
}

/// The standard that a document claims.
struct PrintClaim: Sendable, Equatable {
  /// The name, such as `PDF/X-4` or `PDF/X-1a:2003`.
  let name: String

  /// Whether the standard is PDF/X-1 or PDF/X-1a, which allow only CMYK, gray and spot colours, and no transparency.
  var isStrict: Bool { name.hasPrefix("PDF/X-1") }
  /// Whether the standard is based on PDF 1.6 and declared in XMP: PDF/X-4 or PDF/X-5.
  var isModern: Bool { name.hasPrefix("PDF/X-4") || name.hasPrefix("PDF/X-5") }

  private static let spaces = ["http://www.npes.org/pdfx/ns/id/", "http://ns.adobe.com/pdfx/1.3/"]

  /// Reads GTS_PDFXVersion from XMP or Info; nil if both lack it.
  init?(_ file: PDFFile, _ packet: XMPForm?) {
    let info = file.resolve(file.trailer["Info"]).dictionary ?? [:]
    let stated = Self.spaces.compactMap { packet?.properties[$0 + "GTS_PDFXVersion"] }.first
    guard let name = stated ?? file.text(info["GTS_PDFXVersion"]) else { return nil }
    self.name = name
  }

  func fault(_ reason: String) -> Fault {
    .print(.nonconforming(name, reason, part: isModern ? "ISO 15930-7" : "ISO 15930-4"))
  }
}

private struct PrintDocumentRules {
  let document: DocumentContext
  let claim: PrintClaim

  private var file: PDFFile { document.file }
  private var info: [String: PDFValue] { file.resolve(file.trailer["Info"]).dictionary ?? [:] }

  private func text(_ value: PDFValue?) -> String { file.text(value) ?? "" }

  /// Checks that there is one output intent of PDF/X, with a printer's profile or a registered printing condition.
  func intent() -> [Fault] {
    func fault(_ reason: String) -> Fault { claim.fault(reason) }
    let intents = (file.resolve(document.catalogue["OutputIntents"]).array ?? [])
      .compactMap { file.resolve($0).dictionary }.filter { file.resolve($0["S"]).name == "GTS_PDFX" }
    guard intents.count == 1 else {
      return [fault(intents.isEmpty ? "it has no output intent GTS_PDFX" : "it has \(intents.count) output intents")]
    }
    var faults: [Fault] = []
    let intent = intents[0]
    if text(intent["OutputConditionIdentifier"]).isEmpty {
      faults.append(fault("its output intent has no OutputConditionIdentifier"))
    }
    let isRegistered = !text(intent["RegistryName"]).isEmpty
    if !isRegistered, text(intent["Info"]).isEmpty {
      faults.append(fault("its output intent has neither RegistryName nor Info"))
    }
    guard let profile = PrintProfile(file, intent) else {
      if claim.isModern || !isRegistered || intent["DestOutputProfile"] != nil {
        faults.append(fault("the profile of its output intent is missing or damaged"))
      }
      return faults
    }
    if profile.kind != "prtr" { faults.append(fault("the profile of its output intent is not of a printer")) }
    if claim.isStrict, profile.space != "CMYK" {
      faults.append(fault("the profile of its output intent is not for CMYK"))
    } else if !["CMYK", "RGB ", "GRAY"].contains(profile.space) {
      faults.append(fault("the profile of its output intent is for neither CMYK, RGB nor gray"))
    }
    return faults
  }

  /// Checks the title, dates, trapping and identifiers.
  func statements() -> [Fault] {
    if claim.isModern {
      let properties = document.metadata.packet?.properties ?? [:]
      let (dublin, xmp) = ("http://purl.org/dc/elements/1.1/", "http://ns.adobe.com/xap/1.0/")
      let needed = [
        dublin + "title", xmp + "CreateDate", xmp + "ModifyDate", xmp + "MetadataDate", xmp + "mm/DocumentID",
        xmp + "mm/VersionID", xmp + "mm/RenditionClass",
      ]
      var faults = needed.filter { (properties[$0] ?? "").isEmpty }.map { name in
        claim.fault("its XMP metadata has no \(name.split(separator: "/").last ?? "")")
      }
      if !["True", "False"].contains(properties["http://ns.adobe.com/pdf/1.3/Trapped"] ?? "") {
        faults.append(claim.fault("its XMP metadata does not say whether it is trapped"))
      }
      return faults
    }
    var faults = ["Title", "Creator", "Producer", "CreationDate", "ModDate"].filter { text(info[$0]).isEmpty }
      .map { claim.fault("its Info dictionary has no \($0)") }
    if !["True", "False"].contains(file.resolve(info["Trapped"]).name ?? "") {
      faults.append(claim.fault("its Info dictionary does not say whether it is trapped"))
    }
    return faults
  }

  /// Checks that the trailer has an ID and that the document is not encrypted and, for PDF/X-1 and PDF/X-1a, that it
  /// has no object streams or cross-reference streams, which PDF 1.4 lacks.
  func structure() -> [Fault] {
    var faults: [Fault] = []
    if file.resolve(file.trailer["ID"]).array?.count != 2 {
      faults.append(claim.fault("its trailer has no ID"))
    }
    if document.isDecrypted { faults.append(claim.fault("it is encrypted")) }
    if claim.isStrict, file.hasObjectStreams || file.hasReferenceStreams {
      faults.append(claim.fault("it has object or cross-reference streams, which PDF 1.4 does not have"))
    }
    return faults
  }

  /// Checks for actions, scripts and XFA forms, which may change what readers show.
  func actions() -> [Fault] {
    let catalogue = document.catalogue
    var found: [String] = []
    if catalogue["AA"] != nil || file.resolve(catalogue["OpenAction"]).dictionary != nil { found.append("actions") }
    if file.resolve(catalogue["Names"]).dictionary?["JavaScript"] != nil { found.append("scripts") }
    if file.resolve(catalogue["AcroForm"]).dictionary?["XFA"] != nil { found.append("an XFA form") }
    return found.map { claim.fault("it has \($0)") }
  }
}

/// The profile of an output intent.
struct PrintProfile {
  let bytes: [UInt8]

  init?(_ file: PDFFile, _ intent: [String: PDFValue]) {
    guard let object = intent["DestOutputProfile"]?.reference.flatMap(file.object), object.stream != nil,
      let bytes = file.decoded(object, limit: 16 << 20), bytes.count > 128
    else { return nil }
    self.bytes = bytes
  }

  /// The device class (ICC.1:2022, 7.2.5); the colour space follows in the header (7.2.6).
  var kind: String { String(decoding: bytes[12..<16], as: UTF8.self) }
  var space: String { String(decoding: bytes[16..<20], as: UTF8.self) }

  /// Reads the profile of a document's output intent of PDF/X; nil if it is missing or damaged.
  init?(_ file: PDFFile, catalogue: [String: PDFValue]) {
    let intents = (file.resolve(catalogue["OutputIntents"]).array ?? []).compactMap { file.resolve($0).dictionary }
    guard let intent = intents.first(where: { file.resolve($0["S"]).name == "GTS_PDFX" }) else { return nil }
    self.init(file, intent)
  }
}
