import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEHost
import BLEState
import BLEVirtualRadio
import Foundation

/// A stored bond, and what is known about its two devices.
struct KeptBond: Sendable {
  /// The address of this user's device.
  let adapter: DeviceAddress
  /// The device's name on the embedded radio, such as `radio:default/ble`.
  let place: String?
  let bond: Bond
  let peer: KnownPeer?

  /// For messages.
  var title: String { quotedNames.map { "\($0) (\(bond.identity))" } ?? bond.identity.description }
  /// The names of the other device, the one to show first; `nil` if none is known.
  var quotedNames: String? {
    guard let names = peer?.names, !names.isEmpty else { return nil }
    return names.map { "'\($0.inert)'" }.joined(separator: ", advertised as ")
  }
  var adapterTitle: String { place.map { "\($0) (\(adapter))" } ?? adapter.description }
}

/// All bonds of this user, read from files: no adapter is opened, and programs that use the bonds are not disturbed.
struct BondShelf {
  let bonds: [KeptBond]
  /// Error messages of files that could not be read.
  let failures: [String]
  private let folder: BondFolder

  /// - Parameter filter: whose bonds; `nil`: the bonds of all adapters.
  static func open(_ filter: AdapterFilter?) throws(ToolError) -> BondShelf {
    let folder = DefaultStack.bondFolder
    do throws(BondStoreError) {
      let adapters = try folder.adapters()
      // Without bonds, no other file is read or created.
      if adapters.isEmpty { return BondShelf(bonds: [], failures: [], folder: folder) }
      let places = RadioIdentity.known(stateFolder: DefaultStack.stateFolder)
      let peers = knownPeers()
      var (bonds, failures): ([KeptBond], [String]) = ([], [])
      let accepts = filter?.acceptance(among: places) ?? { _ in true }
      for adapter in adapters where accepts(adapter) {
        let place = places.first { $0.address == adapter }.map { "radio:\($0.air)/\($0.device)" }
        do throws(BondStoreError) {
          bonds += try folder.records(of: adapter).bonds.map {
            KeptBond(adapter: adapter, place: place, bond: $0, peer: peers[$0.identity])
          }
        } catch {
          failures.append(error.description)
        }
      }
      return BondShelf(bonds: bonds, failures: failures, folder: folder)
    } catch {
      throw ToolError(.noInput, error.description.inert)
    }
  }

  private static func knownPeers() -> [DeviceAddress: KnownPeer] {
    let store = FilePeerStore(folder: DefaultStack.stateFolder, entropy: SystemEntropy(), log: DefaultStack.log)
    return Dictionary(store.open().peers.map { ($0.address, $0) }) { _, later in later }
  }

  /// The bonds with one device. Throws if there is none.
  func bonds(with target: Target) throws(ToolError) -> [KeptBond] {
    let found = bonds.filter { kept in
      switch target {
      case .name(let name): kept.peer?.names.contains(name) ?? false
      case .identifier(let identifier): kept.peer?.identifier.uuid == identifier
      case .address(let value): kept.bond.identity.value == value
      }
    }
    if !found.isEmpty { return found }
    try requireAll()
    var message = "There is no bond with \(target)."
    let names = bonds.flatMap { $0.peer?.names ?? [] }
    if case .name(let name) = target, let near = Suggestion.nearest(to: name, among: names) {
      message += " Did you mean '\(near.inert)'?"
    } else if !bonds.isEmpty {
      message += " 'ble bonds list' shows which there are."
    }
    throw ToolError(.notFound, message)
  }

  /// Throws if a file could not be read, because it may contain what was not found.
  func requireAll() throws(ToolError) {
    if let failure = failures.first { throw ToolError(.badData, "\(failure.inert).") }
  }

  /// Deletes bonds. Running programs notice, and their links to these devices end.
  func remove(_ removed: [KeptBond]) throws(ToolError) {
    for adapter in Set(removed.map(\.adapter)) {
      do throws(BondStoreError) {
        try folder.remove(removed.filter { $0.adapter == adapter }.map(\.bond.identity), of: adapter)
      } catch {
        throw ToolError(.noInput, "\(error.description.inert): nothing was removed.")
      }
    }
  }
}

/// Whose bonds a command is for: those of an adapter, by address, or of devices of the embedded radio.
struct AdapterFilter: Equatable, Sendable {
  static let option = Option.value(
    "of", "address",
    "Only bonds of the adapter with this address; 'ble bonds list' shows it. --adapter does as well.")

  static let parameter = Parameter(option) { (arguments) throws(UsageError) in try AdapterFilter(arguments) }

  let address: UInt64?
  let adapter: AdapterName?

  /// `nil`: all.
  init?(_ arguments: ParsedArguments) throws(UsageError) {
    address = try arguments.value(of: Self.option, as: AdapterAddress.self)?.value
    adapter = try arguments.value(of: CommonOptions.adapter)
    if address == nil, adapter == nil { return nil }
  }

  /// The system's adapter that was named: its bonds are not files of this user.
  var system: (any SystemPairing)? {
    guard case .bluez? = adapter, let adapter else { return nil }
    return DefaultStack.stack(named: adapter) as? any SystemPairing
  }

  /// Returns a test for the addresses of this user's devices whose bonds are requested.
  func acceptance(among places: [RadioIdentity.Known]) -> (DeviceAddress) -> Bool {
    let named: (DeviceAddress) -> Bool
    switch adapter {
    case nil: named = { _ in true }
    case .radio(let air, let device)?:
      named = { own in
        places.contains { $0.address == own && $0.air == air && (device == nil || $0.device == device) }
      }
    case let adapter?:
      let own = DefaultStack.deviceAddress(on: adapter)
      named = { $0 == own }
    }
    return { own in (address == nil || own.value == address) && named(own) }
  }
}

/// The address of an adapter on the command line.
private struct AdapterAddress: ArgumentValue {
  let value: UInt64

  init(argument: String) throws(ArgumentValueError) {
    guard let address = DeviceAddress(argument, kind: .public) else {
      throw ArgumentValueError("expected an address such as 02:12:34:56:78:9A")
    }
    value = address.value
  }
}
