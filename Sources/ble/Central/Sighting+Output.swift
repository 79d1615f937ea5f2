import BLECore
import BLESession
import Foundation

extension Sighting {
  init(_ discovery: Discovery) {
    self.init(discovery, address: PeerAddresses.address(of: discovery.identifier))
  }

  /// One line of the scan table.
  func line(_ style: Style) -> String { strength + details(style) }

  /// The beginning of the line, which differs for nearly every packet.
  var strength: String {
    let number = rssi.map { String($0) } ?? "?"
    return String(repeating: " ", count: max(0, 4 - number.utf8.count)) + number + " dBm  "
  }

  /// The rest of the line.
  func details(_ style: Style) -> String {
    var parts = [identifier.uuidString, style.strong(name?.inert ?? "(no name)")]
    if !services.isEmpty {
      parts.append("[" + services.map(AssignedNames.labelled(service:)).joined(separator: ", ") + "]")
    }
    if let manufacturerData {
      parts.append(style.faint("manufacturer \(AssignedNames.manufacturer(manufacturerData))"))
    }
    parts += beacons.map { style.faint($0.words) }
    if !isConnectable { parts.append(style.faint("not connectable")) }
    return parts.joined(separator: "  ")
  }
}
