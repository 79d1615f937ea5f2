import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A central that finds a chat's characteristic for frames and writes arbitrary octets to it.
struct ChatStranger {
  let program: CentralApp
  let peripheral: CBPeripheral
  let framed: CBCharacteristic

  static func connect(
    _ world: World, on device: Device, to name: String = "Ann", subscribes: Bool = true
  ) async throws -> ChatStranger {
    let program = CentralApp(device.options)
    let services = [CBUUID(string: "FF11")]
    let peripheral = try await program.find(name, services: services, in: world, within: .seconds(30))
    try await program.connect(to: peripheral, in: world)
    await peripheral.discoverAll(in: world)
    let framed = try peripheral.characteristic("5F6A0C1E-93D7-4B52-8E0B-FF1100000001")
    let stranger = ChatStranger(program: program, peripheral: peripheral, framed: framed)
    if subscribes { await peripheral.notify(true, framed, in: world) }
    return stranger
  }

  /// The frame preceded by its length.
  func say(_ frame: [UInt8]) { write([UInt8(frame.count % 256), UInt8(frame.count / 256)] + frame) }

  func write(_ octets: [UInt8]) { peripheral.writeValue(Data(octets), for: framed, type: .withResponse) }

  func leave() { program.manager.cancelPeripheralConnection(peripheral) }

  /// The frames received so far, without their lengths. Only for values of whole frames.
  var heard: [[UInt8]] {
    var stream = Array(program.values.joined())[...]
    var frames: [[UInt8]] = []
    while stream.count >= 2 {
      let length = Int(stream[stream.startIndex]) + Int(stream[stream.startIndex + 1]) * 256
      frames.append(Array(stream.dropFirst(2).prefix(length)))
      stream = stream.dropFirst(2 + length)
    }
    return frames
  }
}
