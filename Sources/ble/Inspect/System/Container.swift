import BLEDefaultStack

/// The container that a program runs in, as far as files show it.
struct Container: Equatable, Sendable {
  /// `docker`, `podman`, `lxc` ...
  let kind: String

  /// `nil` where there is no sign of one.
  init?(on machine: Machine) {
    // What systemd and its relatives leave (systemd.io/CONTAINER_INTERFACE).
    if let named = machine.system.line(of: "/run/systemd/container"), !named.isEmpty {
      kind = named
    } else if machine.entry("/.dockerenv") != nil {
      kind = "docker"
    } else if machine.entry("/run/.containerenv") != nil {
      kind = "podman"
    } else if let environment = machine.text(of: "/proc/1/environ"),
      let entry = environment.split(separator: "\0").first(where: { $0.hasPrefix("container=") })
    {
      kind = String(entry.dropFirst(10))
    } else {
      return nil
    }
  }
}
