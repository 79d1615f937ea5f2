import Foundation

extension Examination {
  /// Where identities and bonds are stored.
  mutating func checkState() {
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
      if let path = machine.variable(name), !path.hasPrefix("/") {
        note(
          "state", "\(name) is '\(path)', which is not an absolute path and is ignored.", "Set it to one, or unset it.")
      }
    }
    let folder = machine.stateFolder
    if machine.variable("XDG_STATE_HOME") == nil, machine.variable("HOME") == nil, machine.accountHome == nil {
      return problem(
        "state", "Neither XDG_STATE_HOME, HOME nor the password database says where to store state.",
        "Set one of the two; services of systemd get it with StateDirectory= and Environment=XDG_STATE_HOME=%S.")
    }
    guard checkFolder("state", folder, "identities and bonds are lost with each program") else { return }
    let bonds = machine.names(in: folder + "/bonds").filter { !$0.hasPrefix(".") }
    if let entry = machine.entry(folder + "/bonds"), entry.mode & 0o077 != 0 {
      problem(
        "bonds", "Others have access to \(folder)/bonds, where the keys of bonded devices are.",
        "chmod 700 \(folder)/bonds")
    } else if !bonds.isEmpty {
      good("bonds", "\(bonds.count) \(bonds.count == 1 ? "file" : "files") in \(folder)/bonds.")
    }
  }

  /// The folder in which running programs find each other.
  mutating func checkRuntime() {
    let folder = machine.runtimeFolder
    if machine.variable("XDG_RUNTIME_DIR") == nil {
      note(
        "runtime", "XDG_RUNTIME_DIR is not set: programs meet in \(folder).",
        "Nothing, if all of them are started alike: those that have it set meet elsewhere and are not heard.")
    } else if folder == "/tmp/swift-corebluetooth-\(machine.user)" {
      note(
        "runtime", "XDG_RUNTIME_DIR is not a writable folder of your own: programs meet in \(folder).",
        "export XDG_RUNTIME_DIR=/run/user/\(machine.user)")
    }
    // A socket's name ends with ten digits, and its path has at most 107 octets.
    if folder.utf8.count > 107 - "/air/default/".utf8.count - 10 {
      problem(
        "runtime", "\(folder) is too long a path for sockets.",
        "Set XDG_RUNTIME_DIR to a shorter one, such as /run/user/\(machine.user)")
    }
    checkFolder("runtime", folder, "programs on the embedded radio do not hear each other")
  }

  @discardableResult
  private mutating func checkFolder(_ check: String, _ folder: String, _ otherwise: String) -> Bool {
    guard let entry = machine.entry(folder, followingLinks: false) else {
      if machine.canMake(folder) {
        good(check, "\(folder) will be created when it is needed.")
      } else {
        problem(
          check, "\(folder) does not exist and cannot be created: \(otherwise).",
          "sudo install -d -m 700 -o \(Machine.userName) \(folder)")
      }
      return false
    }
    if entry.kind != .folder {
      problem(check, "\(folder) is not a folder.", "Move it away: mv \(folder) \(folder).old")
    } else if entry.owner != machine.user {
      problem(
        check, "\(folder) belongs to another user: \(otherwise).",
        "sudo chown -R \(Machine.userName) \(folder)")
    } else if !machine.isWritableFolder(folder) {
      problem(check, "\(folder) cannot be written to: \(otherwise).", "chmod 700 \(folder)")
    } else if entry.mode & 0o077 != 0 {
      note(check, "Others have access to \(folder); the next program removes it.", "chmod 700 \(folder)")
    } else {
      good(check, "\(folder) is yours alone.")
      return true
    }
    return false
  }
}
