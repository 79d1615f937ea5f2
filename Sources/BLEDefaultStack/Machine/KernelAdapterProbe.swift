import BLEAdapter
import BLEHCI
import BLETransports
import Dispatch

/// Looks for an adapter that this program could use by the HCI user channel, without taking it from another program.
struct KernelAdapterProbe: AdapterProbe {
  /// What the probe needs to know of an adapter.
  struct Candidate: Sendable {
    let index: UInt16
    let supportsLowEnergy: Bool
    /// The kernel, or a program by the kernel, has switched it on.
    let isPowered: Bool
  }

  var subject: String { "the kernel's Bluetooth" }

  /// Whether this program may take adapters (CAP_NET_ADMIN).
  var isPermitted: @Sendable () -> Bool = {
    ProcessCapabilities(in: .ofThisMachine)?.has(.networkAdministration) ?? false
  }
  /// Whether a switch, of the machine or of a program, blocks Bluetooth.
  var isBlocked: @Sendable (UInt16) -> Bool = { RadioSwitch.blocks("hci\($0)", in: .ofThisMachine) }
  /// The adapters that no program uses by the user channel.
  var candidates: @Sendable () throws(TransportError) -> [Candidate] = { () throws(TransportError) in
    try KernelAdapter.all().map {
      Candidate(index: $0.index, supportsLowEnergy: $0.supportsLowEnergy, isPowered: $0.isPowered)
    }
  }

  func look(among adapters: [String], _ completion: @escaping @Sendable (AdapterFinding) -> Void) {
    guard isPermitted() else {
      return completion(.absent("this program is not permitted to take an adapter (CAP_NET_ADMIN)"))
    }
    DispatchQueue.global().async { completion(finding()) }
  }

  private func finding() -> AdapterFinding {
    do throws(TransportError) {
      let found = try candidates().filter(\.supportsLowEnergy)
      guard let free = found.first(where: { !$0.isPowered && !isBlocked($0.index) }) else {
        return found.isEmpty
          ? .absent("no adapter is free")
          // Another program has switched it on and may have links on it: it is taken from others only if the user names it.
          : .withheld(
            found.contains { $0.isPowered }
              ? "hci\(found[0].index) is in use" : "hci\(found[0].index) is blocked by a switch (rfkill)")
      }
      return .usable(.hci("\(free.index)"))
    } catch {
      return .absent("the kernel's Bluetooth cannot be used: \(error)")
    }
  }
}
