import Testing

/// One test after another: some count what the process holds, others wait for deadlines.
@Suite(.serialized) enum PluginHostTests {}
