import BLEClone
import BLECore
import BLEDeviceFiles
import BLEVirtualRadio
import Synchronization

/// A device without a stack: the test supplies each octet that it advertises and each response of the Attribute Protocol. For
/// what no program can cause by Core Bluetooth: advertisements with manufacturer data, old, faulty or hostile peripherals.
///
/// It accepts the connection of any central, and advertises again when the connection has ended. The effect of a method begins
/// with the next `settle`, `advance` or `wait` of the world.
public final class ScriptedDevice: Sendable {
  /// Returns the response to one received PDU of the Attribute Protocol, opcode first; `nil` for none. Called on the world's loop.
  public typealias Answer = @Sendable (_ request: [UInt8]) -> [UInt8]?

  /// The name for people; it is not advertised.
  public let name: String
  /// The address it advertises with.
  public let address: DeviceAddress
  private let loop: VirtualLoop
  private let radio: LoopBound<ScriptedRadio>
  private let clone = LoopBound(CloneSlot())

  /// What the device plays; on the loop.
  private final class CloneSlot {
    var clone: ClonedRadio?
  }
  private let faultBox: FaultBox

  init(name: String, address: DeviceAddress, world: World, position: Position) {
    self.name = name
    self.address = address
    loop = world.loop
    faultBox = FaultBox(
      device: name, seed: SeededEntropy(seed: world.seed).fork(address.value).seed, log: world.log,
      into: world.faultRecord)
    var configuration = ControllerConfiguration()
    configuration.name = name
    let radio = ScriptedRadio(
      world.air.makeController(address: address, position: position, configuration: configuration))
    self.radio = LoopBound(radio)
    onLoop { $0.start() }
  }

  /// Advertises `data`, and answers scan requests with `scanResponse`: advertising data structures, at most 31 octets each.
  /// Replaces what was advertised before.
  public func advertise(_ data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true) {
    onLoop {
      $0.advertise(ScriptedAdvertisement(data: data, scanResponse: scanResponse, isConnectable: isConnectable))
    }
  }

  /// Stops advertising; a connection remains.
  public func stopAdvertising() { onLoop { $0.advertise(nil) } }

  /// Sets the responses of the Attribute Protocol. Without them the device has no attributes: each request is refused.
  public func answer(_ answer: @escaping Answer) { onLoop { $0.answer = answer } }

  /// Is a device out of a log (`ble clone`): advertises as it did, and answers and notifies with its handles, values and times, for each
  /// central that connects. Replaces what was advertised and answered before. It cannot pair.
  public func play(_ recording: RecordedDevice) {
    let (clone, loop) = (clone, loop)
    onLoop { radio in
      clone.value.clone = ClonedRadio(recording, on: radio, loop: loop)
      clone.value.clone?.start()
    }
  }

  /// Sends an unsolicited PDU of the Attribute Protocol to the connected central.
  public func send(_ pdu: [UInt8]) { onLoop { $0.send(pdu) } }

  /// Sets the faults of the device in place of all earlier ones, and counts from the beginning. It has no host: of faults that need one
  /// (`resetController`, `controller`, `restart`, `changeTable`, `forgetBond`) nothing comes, and attributes are named by their handles, not by UUIDs.
  public func setFaults(_ faults: [Fault]) {
    let box = faultBox
    box.set(faults)
    onLoop { [loop] radio in
      (radio.gate as? ScriptedFaults)?.end()
      radio.gate = faults.isEmpty ? nil : ScriptedFaults(box, radio, on: loop)
    }
  }

  /// Sends a frame on a fixed L2CAP channel to the connected central: 0x0005 is signalling, 0x0006 the Security Manager (Core, Vol 3 Part A
  /// 2.1).
  public func send(_ payload: [UInt8], onChannel channel: UInt16) {
    onLoop { $0.send(payload, on: ChannelIdentifier(channel)) }
  }

  /// Ends the connection. `reason` is an HCI error code (Core, Vol 1 Part F) that is allowed as a reason.
  public func disconnect(reason: UInt8 = 0x13) { onLoop { $0.disconnect(reason: reason) } }

  /// Takes its battery out: its radio is silent.
  public func cutPower() { onLoop { $0.controller.silence() } }
  /// Puts the battery back.
  public func restorePower() { onLoop { $0.controller.comeBack() } }

  /// The number of connections so far. Read it while the world's clock stands still.
  public var connectionCount: Int { radio.value.connectionCount }

  private func onLoop(_ job: @escaping @Sendable (ScriptedRadio) -> Void) {
    let radio = radio
    loop.submit(from: .common) { job(radio.value) }
  }
}

extension World {
  /// A device whose every octet the test supplies. It does not advertise until `advertise` is called.
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
