import BLECapture
import BLECore
import Foundation

/// Finds the devices of a capture that are meant by names and addresses.
enum CaptureDevices {
  /// The limit for addresses that a capture is searched for.
  private static let addressLimit = 65_536

  /// The devices that are meant, for a selection; `nil` without any names. Reads the whole capture.
  @MainActor static func chosen(
    _ names: [String], in path: String, _ session: Session
  ) async throws(ToolError) -> CaptureSelection.Device? {
    if names.isEmpty { return nil }
    var isFolder = ObjCBool(false)
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
      attributes?[.type] as? FileAttributeType != .typeRegular
    {
      throw ToolError(.usage, "\(path.inert): '--device' reads the capture twice, and needs a file for that")
    }
    let reader = try CaptureFile.open(path)
    let dissection = CaptureDissection()
    var addresses: Set<DeviceAddress> = []
    var number = 0
    while let packet = try CaptureFile.next(of: reader, at: path) {
      number += 1
      for device in dissection.dissect(packet).devices where addresses.count < addressLimit {
        addresses.insert(device)
      }
      if number.isMultiple(of: 256) { await Task.yield() }
      if let interruption = session.waiting.interruption { throw interruption }
    }
    let recorded = reader.interfaceNames.filter { entry in names.contains { isMeant(entry.value, by: $0) } }
    if !recorded.isEmpty {
      guard names.allSatisfy({ name in recorded.values.contains { isMeant($0, by: name) } }) else {
        throw ToolError(.usage, "'--device' takes recorded devices or the other side of links, not both")
      }
      return .interfaces(Set(recorded.keys))
    }
    var peers: Set<DeviceAddress> = []
    for name in names { peers.formUnion(try peer(name, among: addresses, dissection)) }
    return .peers(peers)
  }

  private static func peer(
    _ name: String, among addresses: Set<DeviceAddress>, _ dissection: CaptureDissection
  ) throws(ToolError) -> Set<DeviceAddress> {
    if let value = DeviceAddress(name, kind: .public)?.value {
      let same = addresses.filter { $0.value == value }
      if same.isEmpty { throw ToolError(.notFound, "The capture has no device with the address \(name.inert).") }
      return same
    }
    let named = addresses.sorted { $0.value < $1.value }.compactMap { address in
      dissection.name(of: address).map { (address: address, name: $0) }
    }
    let same = named.filter { isMeant($0.name, by: name) }
    let found = same.isEmpty ? named.filter { $0.name.lowercased().hasPrefix(name.lowercased()) } : same
    if found.isEmpty {
      let all = Set(named.map(\.name)).sorted().prefix(8).map { "'\($0.inert)'" }.joined(separator: ", ")
      throw ToolError(
        .notFound,
        "The capture has no device named '\(name.inert)'\(all.isEmpty ? "; it names none" : "; it names \(all)").")
    }
    guard found.count == 1 else {
      let shown = found.prefix(8).map { "\($0.address) ('\($0.name.inert)')" }.joined(separator: ", ")
      throw ToolError(
        .notFound,
        "'\(name.inert)' means \(found.count) addresses: \(shown)\(found.count > 8 ? ", …" : ""). "
          + "Name one; '--device' may be given several times.")
    }
    return Set(found.map(\.address))
  }

  private static func isMeant(_ name: String, by text: String) -> Bool { name.lowercased() == text.lowercased() }
}
