/// An object of the host that a script holds: in Lua a full userdata with the metatable
/// `types[type]` of the prelude.
///
/// Two objects with the same type and handle are one userdata in Lua while the script holds it, so
/// `==` and table keys work without a metamethod. The handle means something to the host alone; the
/// host is not told when Lua drops the userdata.
package struct LuaObject: Sendable, Hashable {
  package let type: String
  package let handle: Int

  package init(type: String, handle: Int) {
    self.type = type
    self.handle = handle
  }
}
