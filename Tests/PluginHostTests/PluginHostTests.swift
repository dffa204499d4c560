import Testing

/// Serialized, because some tests count the resources of the process, and others wait for deadlines.
@Suite(.serialized) enum PluginHostTests {}
