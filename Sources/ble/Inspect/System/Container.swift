import BLEDefaultStack

/// The container that this program runs in, as far as files show it.
struct Container: Equatable, Sendable {
  /// `docker`, `podman`, `lxc` ...
  let kind: String

  /// Returns `nil` if there is no sign of a container.
  init?(on machine: Machine) {
    // Files that systemd and container managers create (systemd.io/CONTAINER_INTERFACE).
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
