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

  // Attachments to the picture's pixels, which the packet describes or contains.
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
