public import BLEAdapter
import BLECore
import BLEHCI
import Glibc

/// Asks BlueZ's daemon whether one of its adapters is usable in its present state. Starts no daemon, and changes nothing.
public struct DaemonProbe: AdapterProbe {
  private let address: BusAddress

  public init() { address = .system }
  init(on address: BusAddress) { self.address = address }

  public var subject: String { "BlueZ's daemon" }

  public func look(among adapters: [String], _ completion: @escaping @Sendable (AdapterFinding) -> Void) {
    guard mayBeThere else { return completion(.absent("there is no system message bus, which BlueZ needs")) }
    let (loop, address) = (DispatchStackLoop(), address)
    loop.submit(from: loop.makeOrigin()) { DaemonQuery(among: adapters, loop: loop, completion).begin(on: address) }
  }

  /// Whether the bus's socket exists: without it no connection is tried.
  private var mayBeThere: Bool {
    guard case .system = address, getenv("DBUS_SYSTEM_BUS_ADDRESS") == nil else { return true }
    return ["/run", "/var/run"].contains { access("\($0)/dbus/system_bus_socket", F_OK) == 0 }
  }
}

/// One query of the daemon. On the loop; its pending call retains it.
private final class DaemonQuery {
  private static let answerLimit = StackDuration.seconds(1)
  /// How many adapters are queried.
  private static let adapterLimit = 16

  private let adapters: [String]
  private let loop: DispatchStackLoop
  private let completion: @Sendable (AdapterFinding) -> Void
  private var bus: MessageBus?

  init(among adapters: [String], loop: DispatchStackLoop, _ completion: @escaping @Sendable (AdapterFinding) -> Void) {
    self.adapters = Array(adapters.prefix(Self.adapterLimit))
    self.loop = loop
    self.completion = completion
  }

  func begin(on address: BusAddress) {
    do throws(BusError) {
      let bus = try MessageBus(address, loop: loop)
      self.bus = bus
      // A call addressed to the daemon's own name would start one that does not run.
      let name = "org.freedesktop.DBus"
      bus.call(
        "GetNameOwner", of: name, at: "/org/freedesktop/DBus", on: name, [.string(BlueZName.service)],
        timeout: Self.answerLimit
      ) { answer in
        switch answer {
        case .success(let values):
          guard let owner = values.first?.text else { return self.end(.absent("BlueZ's daemon does not run")) }
          self.ask(self.adapters[...], of: owner)
        case .failure(let error): self.end(self.finding(error))
        }
      }
    } catch {
      end(finding(error))
    }
  }

  /// Queries one adapter after another for whether it is powered on.
  private func ask(_ rest: ArraySlice<String>, of owner: String, isKnown: Bool = false) {
    guard let adapter = rest.first else {
      return end(isKnown ? .withheld("\(adapters[0]) is switched off") : .absent("BlueZ's daemon has no adapter"))
    }
    bus?.call(
      "Get", of: BlueZName.properties, at: "\(BlueZName.root)/\(adapter)", on: owner,
      [.string(BlueZName.adapter), .string("Powered")], timeout: Self.answerLimit
    ) { answer in
      switch answer {
      case .success(let values):
        if values.first?.flag == true { return self.end(.usable(.bluez(adapter))) }
        self.ask(rest.dropFirst(), of: owner, isKnown: true)
      case .failure(let error) where error.meansObjectIsGone:
        self.ask(rest.dropFirst(), of: owner, isKnown: isKnown)
      case .failure(let error): self.end(self.finding(error))
      }
    }
  }

  private func finding(_ error: BusError) -> AdapterFinding {
    switch error.name {
    case BusError.nameHasNoOwner, BusError.serviceUnknown: .absent("BlueZ's daemon does not run")
    case BusError.noServer: .absent("there is no system message bus, which BlueZ needs")
    case BusError.accessDenied: .withheld("this user may not use BlueZ's daemon")
    default: .withheld("BlueZ's daemon does not answer")
    }
  }

  private func end(_ finding: AdapterFinding) {
    completion(finding)
    guard let bus else { return }
    self.bus = nil
    bus.close()
    // The bus may be processing messages: it is released after that.
    let bound = LoopBound(bus)
    loop.submit(from: loop.makeOrigin()) { withExtendedLifetime(bound) {} }
  }
}
