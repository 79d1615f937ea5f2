import BLECore
import BLEVirtualRadio
import Synchronization

/// A device without a stack, whose every octet the test says: what it advertises, and what it answers to each request of the
/// Attribute Protocol. It is for what no program can bring about by Core Bluetooth: advertisements with manufacturer data, old
/// and odd peripherals, hostile ones.
///
/// It takes any central's connection, and advertises again when that has ended. What the verbs do takes effect at the
/// beginning of the next `settle`, `advance` or `wait` of the world.
public final class ScriptedDevice: Sendable {
  /// Answers one PDU of the Attribute Protocol that came in, opcode first; `nil` for no answer. On the world's loop.
  public typealias Answer = @Sendable (_ request: [UInt8]) -> [UInt8]?

  /// What people call it; nothing is advertised by it.
  public let name: String
  /// The address it advertises with.
  public let address: DeviceAddress
  private let loop: VirtualLoop
  private let radio: LoopBound<ScriptedRadio>

  init(name: String, address: DeviceAddress, world: World, position: Position) {
    self.name = name
    self.address = address
    loop = world.loop
    let radio = ScriptedRadio(name: name, address: address, position: position, air: world.air)
    self.radio = LoopBound(radio)
    onLoop { $0.start() }
  }

  /// Advertises `data`, and answers scan requests with `scanResponse`: advertising data structures, at most 31 octets each. In
  /// place of what it advertised so far.
  public func advertise(_ data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true) {
    onLoop {
      $0.advertise(ScriptedAdvertisement(data: data, scanResponse: scanResponse, isConnectable: isConnectable))
    }
  }

  /// Nothing is advertised any more; a connection stays.
  public func stopAdvertising() { onLoop { $0.advertise(nil) } }

  /// How it answers the Attribute Protocol from now on. Without this it has no attributes: each request is refused.
  public func answer(_ answer: @escaping Answer) { onLoop { $0.answer = answer } }

  /// Sends a PDU of the Attribute Protocol unasked, to the central that is connected.
  public func send(_ pdu: [UInt8]) { onLoop { $0.send(pdu) } }

  /// Ends the connection; `reason` is a controller's error code (Core, Vol 1 Part F), as far as one may be sent.
  public func disconnect(reason: UInt8 = 0x13) { onLoop { $0.disconnect(reason: reason) } }

  /// Its radio falls silent, as if its battery had been pulled out.
  public func cutPower() { onLoop { $0.controller.silence() } }
  /// It has a battery again.
  public func restorePower() { onLoop { $0.controller.comeBack() } }

  /// How many connections were made to it so far. Ask while the world stands still.
  public var connectionCount: Int { radio.value.connectionCount }

  private func onLoop(_ job: @escaping @Sendable (ScriptedRadio) -> Void) {
    let radio = radio
    loop.submit(from: .common) { job(radio.value) }
  }
}

extension World {
  /// A device whose every octet the test says. It advertises nothing until it is told to.
  /// - Parameters:
  ///   - name: for people, in logs and captures.
  ///   - position: where it is at the beginning.
  ///   - address: a random static one from the world's seed where it is `nil`.
  public func makeScriptedDevice(
    _ name: String, at position: Position = .origin, address: DeviceAddress? = nil
  ) -> ScriptedDevice {
    scriptedDevices.withLock { devices in
      let entropy = SeededEntropy(seed: seed).fork(.max - UInt64(devices.count))
      let made = address ?? DeviceAddress(entropy.next() | 0b11 << 46, kind: .random)
      let device = ScriptedDevice(name: name, address: made, world: self, position: position)
      devices.append(device)
      return device
    }
  }
}
