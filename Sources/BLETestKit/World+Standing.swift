import BLEAdapter
import BLECore
import BLEHost
import CoreBluetooth

extension World {
  /// The state of the world as text: a line for each device. On the loop.
  func describeStanding() -> String {
    let devices = allDevices
    let names = Dictionary(devices.map { ($0.address, $0.name) }) { first, _ in first }
    var lines = devices.map { device in
      "  \(device.name): \(StandingInWords(device.stack.standing, device.radio.value.placeInWords, names).text)"
    }
    if devices.isEmpty { lines.append("  there is no device in this world") }
    let strangers = ManagersElsewhere.count - strangersBefore
    if strangers > 0 {
      lines.append(
        """
          on no device of a world: \(counted(strangers, "manager")) of this process, made without `options:` or with options that \
        have no adapter in them
        """)
    }
    return lines.joined(separator: "\n")
  }
}

/// "1 service", "2 services".
private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// One device's state as text.
private struct StandingInWords {
  let text: String

  init(_ standing: HostStanding, _ place: String?, _ names: [DeviceAddress: String]) {
    func name(_ address: DeviceAddress) -> String { names[address] ?? "an unknown device" }
    var parts = [Self.state(standing.state)]
    if let place { parts.append(place) }
    if standing.isInBackground { parts.append("application in the background") }
    let managers = standing.centrals.map { Self.central($0, name) } + standing.peripherals.map(Self.peripheral)
    parts.append(
      managers.isEmpty
        ? "no manager: none was made with this device's `options`, or none is kept" : managers.joined(separator: "; "))
    parts.append(
      standing.links.isEmpty ? "no links" : standing.links.map { Self.link($0, name) }.joined(separator: "; "))
    text = parts.joined(separator: "; ")
  }

  private static func state(_ state: AdapterState) -> String {
    switch state {
    case .unknown: "not started"
    case .resetting: "resetting"
    case .unsupported: "without a controller"
    case .unauthorized: "not permitted"
    case .poweredOff: "switched off"
    case .poweredOn: "switched on"
    }
  }

  private static func central(_ role: HostStanding.Central, _ name: (DeviceAddress) -> String) -> String {
    var doings: [String] = []
    if let sought = role.sought {
      let services = sought.isEmpty ? "everything" : sought.map { "\($0)" }.joined(separator: ", ")
      doings.append("scans for \(services)")
    }
    if !role.awaited.isEmpty {
      doings.append("waits for a connection to \(role.awaited.map(name).joined(separator: ", "))")
    }
    return "a central manager that \(doings.isEmpty ? "neither scans nor connects" : doings.joined(separator: " and "))"
  }

  private static func peripheral(_ role: HostStanding.Peripheral) -> String {
    "a peripheral manager with \(counted(role.services, "service")) that \(role.isAdvertising ? "advertises" : "does not advertise")"
  }

  private static func link(_ link: HostStanding.Link, _ name: (DeviceAddress) -> String) -> String {
    var doings: [String] = []
    if !link.isReady { doings.append("coming up or ending") }
    if link.isEncrypted { doings.append("encrypted") }
    if link.isPairing { doings.append("pairing under way") }
    if link.operations > 0 { doings.append("\(counted(link.operations, "operation")) under way") }
    let rest = doings.isEmpty ? "" : " (\(doings.joined(separator: ", ")))"
    return "a link to \(name(link.peer)) as \(link.isCentral ? "central" : "peripheral")\(rest)"
  }
}
