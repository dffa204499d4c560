import ImageCore

/// Where no output of a run may go.
struct TakenPaths {
  /// What the program writes itself, by which option.
  private(set) var ownFiles: [(place: SplitPath, option: String)] = []
  /// The script, and what it is made of.
  private var scripts: Set<SplitPath> = []
  /// Pictures that are read.
  private var sources: Set<SplitPath> = []
  /// Which files the pictures are, whatever they are called.
  let files: RunFiles
  private var places: OutputPlaces

  init(_ options: RunOptions, files: RunFiles) {
    self.files = files
    places = OutputPlaces(options)
    for (path, option) in options.ownFiles {
      ownFiles.append((places.paths.place(of: path), option))
    }
  }

  /// Adds a picture.
  ///
  /// - Parameter mayBeLink: false where it is known that the path itself is no link.
  /// - Returns: The option that has this file written.
  mutating func addSource(_ path: String, mayBeLink: Bool) -> String? {
    let place = places.paths.place(of: path, mayBeLink: mayBeLink)
    sources.insert(place)
    return ownFiles.first { $0.place == place }?.option
  }

  mutating func addScript(_ path: String) {
    scripts.insert(places.paths.place(of: path))
    addFile(path, for: .script)
  }

  /// Adds a file that is there and has no name of its own in messages.
  func addFile(_ path: String, for use: RunFiles.Use) {
    if let identity = FileIdentity(at: path) { files.read(identity, for: use) }
  }

  /// Forgets the pictures, when the script can ask for no more outputs.
  mutating func forgetSources() { sources = [] }

  /// What speaks against an output at this place, as a clause; nil for nothing.
  func reason(against place: SplitPath) -> String? {
    if let problem = places.problem(at: place) { return problem }
    if let own = ownFiles.first(where: { $0.place == place }) {
      return "\(own.option) writes this file; save elsewhere"
    }
    if sources.contains(place) {
      return "this would overwrite a picture that the script reads; save elsewhere"
    }
    if scripts.contains(place) {
      return "this would overwrite a file of the script itself; save elsewhere"
    }
    // What is not there yet has no other name.
    guard let identity = FileIdentity(at: place.text) else { return nil }
    return files.conflict(replacing: identity, at: place)?.text
  }
}
