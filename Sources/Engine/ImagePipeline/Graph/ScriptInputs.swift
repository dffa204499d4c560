import ImageCore

/// The files and folders that the requests of a script depend on.
package struct ScriptInputs: Sendable {
  /// The paths of the script, and of the modules, templates and Lua plugins that it has loaded.
  package internal(set) var scripts: Set<String> = []
  /// The files that arguments of operations name. If the run has records or keeps its dependencies, also the pictures
  /// that the script has opened, and the possible paths of their sidecars. Outputs need not depend on these files,
  /// because the script may have only measured them.
  package internal(set) var pictures: Set<InternedPath> = []
  /// The identities, by path, of the folders that the script has searched, and of the files that it has looked up
  /// without opening them. Nil for a path that led nowhere at that time.
  package private(set) var searched: [InternedPath: FileIdentity?] = [:]
  /// The identities, by path, of the folders of `pictures`, at the time when their first files were added.
  package private(set) var folders: [InternedPath: FileIdentity?] = [:]
  private var lastPicture: InternedPath?
  /// Whether the script has drawn texts, whose sizes it may know.
  package internal(set) var drawsText = false
  /// Whether the requests may also depend on something else, such as the time, the result of a job, or a document that
  /// the script has verified.
  package var hasOthers = false

  init() {}

  package mutating func addSearched(_ paths: some Sequence<String>) {
    for path in paths where searched[InternedPath(path)] == nil {
      searched[InternedPath(path)] = .some(FileIdentity(at: path))
    }
  }

  mutating func add(_ file: PictureFile) {
    add(file.place)
    // Sidecars are in the folder of their picture.
    for path in file.sidecarPaths { pictures.insert(InternedPath(path)) }
    if file.path == PipedInput.standardInput { hasOthers = true }
  }

  /// Adds the files that the arguments of an operation name.
  mutating func add(_ arguments: Arguments, of descriptor: OperationDescriptor) {
    for parameter in descriptor.parameters {
      guard case .text(let path)? = arguments[parameter.name], parameter.isFile(path) else { continue }
      add(InternedPath(path))
    }
  }

  private mutating func add(_ picture: InternedPath) {
    pictures.insert(picture)
    if let lastPicture, picture.sharesFolder(with: lastPicture) { return }
    lastPicture = picture
    let folder = InternedPath(picture.folderText.isEmpty ? "." : picture.folderText)
    if folders[folder] == nil { folders[folder] = .some(FileIdentity(at: folder.text)) }
  }
}
