import ImageCore

/// An XMP packet (ISO 16684-1): properties of a picture, each as an XML element.
package struct XMPPacket: Sendable, Hashable {
  /// The properties; each name occurs once.
  package private(set) var properties: [XMPElement] = []
  /// The subject of the properties, `rdf:about`; usually empty.
  private var about = ""
  private var prefixes: [String: String] = [:]

  package init() {}

  /// Parses a packet. If a property is repeated, the first one is used.
  package init(_ bytes: [UInt8]) throws(XMPFault) {
    var parser = try XMPParser(bytes)
    let root = try parser.root()
    let candidates = [root] + root.children
    guard let rdf = candidates.first(where: { $0.name == .rdf("RDF") }) else { throw .noDescription }
    var known: Set<XMPName> = []
    for description in rdf.children where description.name == .rdf("Description") {
      if about.isEmpty { about = description.attribute(.rdf("about")) ?? "" }
      for property in description.descriptionProperties where known.insert(property.name).inserted {
        properties.append(property)
      }
    }
    prefixes = parser.prefixes
  }

  package var isEmpty: Bool { properties.isEmpty }

  /// The value of a property. Setting it to nil removes the property.
  package subscript(name: XMPName) -> XMPElement? {
    get { properties.first { $0.name == name } }
    set {
      let index = properties.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): properties[index] = value
      case (let index?, nil): properties.remove(at: index)
      case (nil, let value?): properties.append(value)
      case (nil, nil): break
      }
    }
  }

  package mutating func removeAll(where isUnwanted: (XMPName) -> Bool) { properties.removeAll { isUnwanted($0.name) } }

  /// Adds the properties of another packet.
  ///
  /// - Parameter replacing: whether properties that both packets have are replaced.
  package mutating func merge(_ other: XMPPacket, replacing: Bool) {
    let known = Set(properties.map(\.name))
    for property in other.properties {
      if !known.contains(property.name) {
        properties.append(property)
      } else if replacing {
        self[property.name] = property
      }
    }
    prefixes.merge(other.prefixes) { own, _ in own }
  }

  /// Returns a name as scripts write it, such as `dc:creator`: with its usual prefix, or else with the packet's.
  func prefixed(_ name: XMPName) -> String {
    let prefix = XMPSpace.prefixes[name.space] ?? prefixes[name.space]
    return prefix.map { "\($0):\(name.local)" } ?? name.local
  }

  /// The number of bytes of each property in the packet.
  var sizes: [(name: XMPName, byteCount: Int)] {
    var writer = XMPWriter(prefixes)
    return properties.map { ($0.name, writer.text($0).utf8.count + 1) }
  }

  /// Returns the encoded packet; empty if there are no properties. Equal properties always give equal bytes.
  ///
  /// - Parameter isWrapped: whether to add the processing instructions by which readers find a packet.
  package func bytes(isWrapped: Bool = true) -> [UInt8] {
    guard !properties.isEmpty else { return [] }
    var writer = XMPWriter(prefixes)
    return writer.packet(properties, about: about, isWrapped: isWrapped)
  }
}

extension XMPElement {
  /// The properties of an `rdf:Description`: first its attributes, then its elements.
  fileprivate var descriptionProperties: [XMPElement] {
    let short = attributes.filter {
      $0.name.space != XMPSpace.rdf && $0.name.space != XMPSpace.xml && $0.name.space != ""
    }
    return short.map { XMPElement($0.name, text: $0.value) } + children.filter { $0.name.space != "" }
  }
}

// MARK: - Fields

extension XMPPacket {
  private static let maximumFields = 5_000

  /// The values (texts and lists of texts) by their names, such as `dc:title`. A field of a structure is named by its
  /// path: `xmpMM:DerivedFrom/stRef:documentID`, `xmpMM:History[1]/stEvt:action`.
  package var fields: [String: MetadataValue] {
    var fields: [String: MetadataValue] = [:]
    for property in properties { add(property, prefixed(property.name), to: &fields) }
    return fields
  }

  private func add(_ element: XMPElement, _ path: String, to fields: inout [String: MetadataValue]) {
    guard fields.count < Self.maximumFields else { return }
    if let items = element.items {
      let texts = element.texts
      if element.children[0].name == .rdf("Alt"), let text = texts.first {
        fields[path] = .text(text)
      } else if texts.count == items.count, !texts.isEmpty {
        fields[path] = .texts(texts)
      } else {
        for (index, item) in items.enumerated() { add(item, "\(path)[\(index + 1)]", to: &fields) }
      }
    } else if let text = element.plainText {
      fields[path] = .text(text)
    } else {
      for field in element.fields { add(field, "\(path)/\(prefixed(field.name))", to: &fields) }
    }
  }
}

// MARK: - IPTC

extension XMPPacket {
  /// The XMP properties that are equivalent to IPTC datasets, with the types of their arrays; nil for a single text
  /// (IPTC Photo Metadata Standard 2023.1).
  private static let twins: [(number: UInt8, space: String, name: String, kind: String?)] = [
    (5, XMPSpace.dc, "title", "Alt"), (10, XMPSpace.photoshop, "Urgency", nil),
    (15, XMPSpace.photoshop, "Category", nil), (20, XMPSpace.photoshop, "SupplementalCategories", "Bag"),
    (25, XMPSpace.dc, "subject", "Bag"), (40, XMPSpace.photoshop, "Instructions", nil),
    (80, XMPSpace.dc, "creator", "Seq"), (85, XMPSpace.photoshop, "AuthorsPosition", nil),
    (90, XMPSpace.photoshop, "City", nil), (92, XMPSpace.core, "Location", nil),
    (95, XMPSpace.photoshop, "State", nil), (100, XMPSpace.core, "CountryCode", nil),
    (101, XMPSpace.photoshop, "Country", nil), (103, XMPSpace.photoshop, "TransmissionReference", nil),
    (105, XMPSpace.photoshop, "Headline", nil), (110, XMPSpace.photoshop, "Credit", nil),
    (115, XMPSpace.photoshop, "Source", nil), (116, XMPSpace.dc, "rights", "Alt"),
    (120, XMPSpace.dc, "description", "Alt"), (122, XMPSpace.photoshop, "CaptionWriter", nil),
  ]

  /// The texts for IPTC datasets, taken from the equivalent properties in the packet.
  var iptcTexts: [(number: UInt8, texts: [String])] {
    Self.twins.compactMap { twin in
      self[XMPName(twin.space, twin.name)].map { (twin.number, $0.texts.filter { !$0.isEmpty }) }
    }
  }

  /// Adds the texts of an IPTC record whose equivalent properties are missing, for formats without IPTC.
  package mutating func add(_ record: IPTCRecord) {
    for twin in Self.twins {
      let name = XMPName(twin.space, twin.name)
      // Texts with control characters are omitted, because the packet could not be parsed again.
      let texts = record.texts(twin.number).filter { text in
        !text.isEmpty && text.unicodeScalars.allSatisfy(XMLText.isLegal)
      }
      guard let first = texts.first, self[name] == nil else { continue }
      self[name] = twin.kind.map { .array(name, $0, texts) } ?? XMPElement(name, text: first)
    }
  }
}

// MARK: - Place

/// The location in a packet, converted to EXIF.
extension XMPPacket {
  /// Whether the packet contains the location of the picture.
  var hasPlace: Bool { text("GPSLatitude") != nil || text("GPSLongitude") != nil }

  /// A GPS directory of EXIF (Exif 3.0, 4.6.6) with the latitude, longitude and altitude. Nil if the latitude or the
  /// longitude is missing or not in the format of XMP (XMP Specification Part 2, 3.3).
  var gpsDirectory: TIFFFields? {
    guard let latitude = coordinate("GPSLatitude", "N", "S", 90),
      let longitude = coordinate("GPSLongitude", "E", "W", 180)
    else { return nil }
    var fields: TIFFFields = [
      0: .value(type: 1, bytes: [2, 3, 0, 0]), 1: .text(latitude.side), 2: .rationals(latitude.parts),
      3: .text(longitude.side), 4: .rationals(longitude.parts),
    ]
    if let altitude = text("GPSAltitude").flatMap(Self.fraction) {
      fields[5] = .value(type: 1, bytes: [text("GPSAltitudeRef") == "1" ? 1 : 0])
      fields[6] = .rationals([altitude])
    }
    return fields
  }

  private func text(_ name: String) -> String? { self[XMPName(XMPSpace.exif, name)]?.texts.first }

  /// Parses `53,33.5N`, `53,33,30N` and `53.5N`; nil for any other form, or for more than `most` degrees.
  private func coordinate(_ name: String, _ first: String, _ second: String, _ most: Double)
    -> (side: String, parts: [(Int, Int)])?
  {
    guard var text = text(name), let side = text.popLast().map(String.init), [first, second].contains(side)
    else { return nil }
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Double($0) }
    guard (1...3).contains(numbers.count), numbers.count == words.count,
      numbers.allSatisfy({ $0.isFinite && $0 >= 0 })
    else { return nil }
    let degrees = zip(numbers, [1.0, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
    guard degrees <= most else { return nil }
    // The precision is a thousandth of an arc second, which is 3 cm.
    let thousandths = Int((degrees * 3_600_000).rounded())
    return (side, [(thousandths / 3_600_000, 1), (thousandths / 60_000 % 60, 1), (thousandths % 60_000, 1000)])
  }

  /// Parses `12`, `12.5` and `25/2`; nil for any other form, or for a value that is not between 0 and a million.
  private static func fraction(_ text: String) -> (Int, Int)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count < 3, let above = parts.first ?? nil, let below = parts.count == 2 ? parts[1] : 1, below > 0
    else { return nil }
    let value = above / below
    guard value.isFinite, (0...1e6).contains(value) else { return nil }
    return (Int((value * 1000).rounded()), 1000)
  }
}

/// The namespaces of XMP (ISO 16684-1, 8; IPTC Photo Metadata; Exif for XMP, CIPA DC-010).
package enum XMPSpace {
  package static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  package static let xml = "http://www.w3.org/XML/1998/namespace"
  static let meta = "adobe:ns:meta/"
  static let dc = "http://purl.org/dc/elements/1.1/"
  static let terms = "http://purl.org/dc/terms/"
  static let xmp = "http://ns.adobe.com/xap/1.0/"
  static let rights = "http://ns.adobe.com/xap/1.0/rights/"
  static let management = "http://ns.adobe.com/xap/1.0/mm/"
  static let note = "http://ns.adobe.com/xmp/note/"
  static let photoshop = "http://ns.adobe.com/photoshop/1.0/"
  static let tiff = "http://ns.adobe.com/tiff/1.0/"
  static let exif = "http://ns.adobe.com/exif/1.0/"
  static let exifEX = "http://cipa.jp/exif/1.0/"
  static let aux = "http://ns.adobe.com/exif/1.0/aux/"
  static let core = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
  static let ext = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
  static let plus = "http://ns.useplus.org/ldf/xmp/1.0/"
  static let creativeCommons = "http://creativecommons.org/ns#"
  static let lightroom = "http://ns.adobe.com/lightroom/1.0/"

  // These namespaces belong to attachments, such as depth maps, which the packet describes or contains.
  static let gainMap = "http://ns.adobe.com/hdr-gain-map/1.0/"
  static let appleGainMap = "http://ns.apple.com/HDRGainMap/1.0/"
  static let applePixels = "http://ns.apple.com/pixeldatainfo/1.0/"
  static let camera = "http://ns.google.com/photos/1.0/camera/"
  static let container = "http://ns.google.com/photos/1.0/container/"
  static let depth = "http://ns.google.com/photos/1.0/depthmap/"
  static let image = "http://ns.google.com/photos/1.0/image/"
  static let audio = "http://ns.google.com/photos/1.0/audio/"
  static let device = "http://ns.google.com/photos/dd/1.0/device/"

  /// The usual prefixes, which scripts use to name properties.
  static let prefixes: [String: String] = [
    rdf: "rdf", xml: "xml", meta: "x", dc: "dc", terms: "dcterms", xmp: "xmp", rights: "xmpRights",
    management: "xmpMM", note: "xmpNote", photoshop: "photoshop", tiff: "tiff", exif: "exif", exifEX: "exifEX",
    aux: "aux", core: "Iptc4xmpCore", ext: "Iptc4xmpExt", plus: "plus", creativeCommons: "cc", lightroom: "lr",
    gainMap: "hdrgm", appleGainMap: "HDRGainMap", applePixels: "apdi", camera: "GCamera", container: "Container",
    depth: "GDepth", image: "GImage", audio: "GAudio", device: "Device",
    "http://ns.adobe.com/camera-raw-settings/1.0/": "crs", "http://ns.adobe.com/pdf/1.3/": "pdf",
    "http://ns.adobe.com/xap/1.0/g/img/": "xmpGImg", "http://ns.adobe.com/xap/1.0/sType/ResourceRef#": "stRef",
    "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#": "stEvt",
    "http://ns.adobe.com/xap/1.0/sType/Dimensions#": "stDim",
    "http://ns.adobe.com/xmp/sType/Area#": "stArea", "http://ns.google.com/photos/1.0/panorama/": "GPano",
    "http://ns.google.com/photos/1.0/container/item/": "Item",
    "http://www.metadataworkinggroup.com/schemas/regions/": "mwg-rs",
    "http://www.metadataworkinggroup.com/schemas/keywords/": "mwg-kw",
  ]
}
