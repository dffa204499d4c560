import CPlatform
import Synchronization

/// The owners whose files and links are trusted: this process's user, root, and the users and groups that the command
/// line names.
///
/// The owners are set before a run begins, and may be read on any thread.
public enum FileOwners {
  private struct Named: Sendable {
    var users: Set<uid_t> = []
    var groups: Set<gid_t> = []
  }
  private static let named = Mutex(Named())
  /// Whether the command line names any owners.
  public static var areNamed: Bool { named.withLock { !$0.users.isEmpty || !$0.groups.isEmpty } }

  /// Trusts what belongs to these users and groups.
  public static func trust(users: Set<uid_t>, groups: Set<gid_t> = []) {
    named.withLock { named in
      named.users.formUnion(users)
      named.groups.formUnion(groups)
    }
  }

  /// Returns whether the owner of a file, a link or a folder is trusted.
  ///
  /// - Parameter folder: the status of the folder that contains it; nil if it is unknown. A group is trusted only if
  ///   the folder is known and not all users can write to it, because files in a setgid folder belong to the folder's
  ///   group, whoever creates them.
  public static func areTrusted(_ status: stat, in folder: stat?) -> Bool {
    if status.st_uid == geteuid() || status.st_uid == 0 { return true }
    return named.withLock { named in
      named.users.contains(status.st_uid)
        || named.groups.contains(status.st_gid) && folder.map { $0.st_mode & S_IWOTH == 0 } ?? false
    }
  }

  /// Returns whether a link must not be followed: it belongs to a stranger, who is not trusted, and is in a folder that
  /// users other than the folder's owner may write to, even if the folder is sticky.
  ///
  /// - Parameter isForWriting: whether a file is to be written through the link. In that case a stranger's own folder
  ///   is not trusted either, because a link in it could lead to a file of this user.
  public static func isStrangers(link: stat, in folder: stat, isForWriting: Bool) -> Bool {
    let isOpen = folder.st_mode & (S_IWGRP | S_IWOTH) != 0 || isForWriting && !areTrusted(folder, in: nil)
    return isOpen && !areTrusted(link, in: folder)
  }

  /// Returns the identifier of a user, given a name or a number; nil if no user has the name. A number is not checked.
  /// Wraps `getpwnam(3)`.
  public static func user(_ word: String) -> uid_t? {
    if let number = uid_t(word) { return number }
    return getpwnam(word)?.pointee.pw_uid
  }

  /// Returns the identifier of a group, given a name or a number; nil if no group has the name. A number is not
  /// checked. Wraps `getgrnam(3)`.
  public static func group(_ word: String) -> gid_t? {
    if let number = gid_t(word) { return number }
    return getgrnam(word)?.pointee.gr_gid
  }

  /// Returns the name of a user, or the number if there is no name. Wraps `getpwuid(3)`.
  public static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? String(user)
  }
}
