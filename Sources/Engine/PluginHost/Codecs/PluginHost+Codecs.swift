/// A codec plugin, ready for use.
package struct CodecPlugin: Sendable {
  package let description: PluginDescription
  package let codec: CodecDescription
  /// The path of its library.
  package let path: String
  package let pool: CodecPool

  /// Returns the codec with a worker of its own whose new memory holds this byte; nil where memory is not set.
  package func filled(_ byte: Int) -> CodecPlugin? {
    pool.filled(byte).map { CodecPlugin(description: description, codec: codec, path: path, pool: $0) }
  }
}

extension PluginHost {
  /// The codec plugin of this name; nil if there is none. Files in which the name does not occur are looked at only if
  /// the others do not have it.
  package func codec(named name: String) -> CodecPlugin? {
    guard let found = find(name), let codec = found.plugin.codec, let pool = found.codecs else { return nil }
    return CodecPlugin(description: found.plugin, codec: codec, path: found.path, pool: pool)
  }

  /// All codec plugins, in the order of the search path. Files that were not described before are described; frei0r
  /// plugins are not looked at.
  package func codecs() -> [CodecPlugin] {
    state.withLock { state in
      describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      return state.entries!.compactMap { entry in
        guard let name = entry.listing?.name, let found = state.found[name], found.path == entry.path,
          let codec = found.plugin.codec, let pool = found.codecs
        else { return nil }
        return CodecPlugin(description: found.plugin, codec: codec, path: found.path, pool: pool)
      }
    }
  }
}
