import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEHost
import BLEState
import Foundation

/// The devices that this user's programs have heard, as a target names them.
struct HeardTargets {
  /// The one that was heard last comes last.
  let peers: [KnownPeer]

  /// The most devices that are offered.
  private static let most = 256

  /// Those that the stack has remembered, without asking an adapter.
  static func remembered() -> HeardTargets {
    HeardTargets(
      peers: FilePeerStore(folder: DefaultStack.stateFolder, entropy: SystemEntropy(), log: .silent).open().peers)
  }

  /// Names, and the identifiers that begin as typed: a list of all would say nothing. A name that a line cannot contain as it is, or
  /// that would be taken for an option, is left out.
  func targets(typed: String) -> [String] {
    var names: [String] = []
    var seen: Set<String> = []
    for peer in peers.reversed() {
      for name in peer.names where name.isInert && !name.isEmpty && !name.hasPrefix("-") && seen.insert(name).inserted {
        names.append(name)
      }
      if names.count >= Self.most { break }
    }
    guard !typed.isEmpty else { return names }
    let identifiers = Set(peers.map(\.identifier.uuid.uuidString)).filter { $0.hasPrefix(typed.uppercased()) }
    return names + identifiers.sorted().prefix(Self.most)
  }
}
