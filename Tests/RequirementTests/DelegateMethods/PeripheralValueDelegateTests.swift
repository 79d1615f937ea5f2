import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A3: the methods of CBPeripheralDelegate about values", .keepsCapture)
struct PeripheralValueDelegateTests {
  @Test(
    "R3.2 peripheral(_:didUpdateValueFor:error:)#characteristic brings read values, notified values, and errors")
  func value() async throws {
    let method = "peripheral(_:didUpdateValueFor:error:)"
    let line = Stage.characteristic("FF23", .notify)
    let (stage, peripheral) = try await Stage.connected([
      Stage.characteristic("FF22", .read, value: Data([1, 2])), line,
    ])
    let (fixed, notified) = (try peripheral.characteristic("FF22"), try peripheral.characteristic("FF23"))
    await peripheral.read(fixed, in: stage.world)
    let read = try stage.near.only(method)
    #expect(read.arguments[0] as? CBPeripheral === peripheral && read.error == nil)
    #expect(read.arguments[1] as? CBCharacteristic === fixed && read.arguments[2] as? Data == Data([1, 2]))
    await peripheral.notify(true, notified, in: stage.world)
    stage.near.forget()
    #expect(stage.peripheralManager.updateValue(Data([7]), for: line, onSubscribedCentrals: nil))
    await stage.world.settle()
    let told = try stage.near.only(method)
    #expect(told.arguments[1] as? CBCharacteristic === notified && told.arguments[2] as? Data == Data([7]))
    stage.near.forget()
    await peripheral.read(notified, in: stage.world)
    #expect((try stage.near.only(method).error as? CBATTError)?.code == .readNotPermitted)
  }

  @Test("R3.2 peripheral(_:didWriteValueFor:error:)#characteristic answers each write with a response")
  func written() async throws {
    let method = "peripheral(_:didWriteValueFor:error:)"
    let (stage, peripheral) = try await Stage.connected([Stage.characteristic("FF22", .write)])
    let characteristic = try peripheral.characteristic("FF22")
    for result in [CBATTError.Code.success, .insufficientResources] {
      stage.near.forget()
      stage.far.reactions["peripheralManager(_:didReceiveWrite:)"] = { call in
        guard let request = (call.arguments[1] as? [CBATTRequest])?.first else { return }
        stage.peripheralManager.respond(to: request, withResult: result)
      }
      await peripheral.write(Data([1]), to: characteristic, in: stage.world)
      let call = try stage.near.only(method)
      #expect(call.arguments[0] as? CBPeripheral === peripheral)
      #expect(call.arguments[1] as? CBCharacteristic === characteristic)
      #expect((call.error as? CBATTError)?.code == (result == .success ? nil : result))
    }
  }

  @Test("R3.2 peripheral(_:didUpdateNotificationStateFor:error:) answers each request, with the resulting state")
  func notificationState() async throws {
    let method = "peripheral(_:didUpdateNotificationStateFor:error:)"
    let (stage, peripheral) = try await Stage.connected([
      Stage.characteristic("FF22", .notify), Stage.characteristic("FF23", .read),
    ])
    let characteristic = try peripheral.characteristic("FF22")
    for isOn in [true, false] {
      stage.near.forget()
      peripheral.setNotifyValue(isOn, for: characteristic)
      await stage.world.settle()
      let call = try stage.near.only(method)
      #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
      #expect(call.arguments[1] as? CBCharacteristic === characteristic && call.arguments[2] as? Bool == isOn)
    }
    stage.near.forget()
    await peripheral.notify(true, try peripheral.characteristic("FF23"), in: stage.world)
    let refused = try stage.near.only(method)
    #expect(refused.error is CBATTError && refused.arguments[2] as? Bool == false)
  }

  @Test(
    "R3.2 peripheral(_:didUpdateValueFor:error:)#descriptor brings the read value in the type of the descriptor")
  func descriptorValue() async throws {
    let stage = Stage()
    let line = Stage.characteristic("FF22", .read)
    line.descriptors = [.userDescription("line")]
    await stage.publish([line])
    let peripheral = try await stage.connected()
    let characteristic = try peripheral.characteristic("FF22")
    await peripheral.discoverDescriptors(for: characteristic, in: stage.world)
    let descriptor = try #require(characteristic.descriptors?.first)
    await peripheral.read(descriptor, in: stage.world)
    let call = try stage.near.only("peripheral(_:didUpdateValueFor:error:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
    #expect(call.arguments[1] as? CBDescriptor === descriptor && call.arguments[2] as? String == "line")
  }

  @Test("R3.2 peripheral(_:didWriteValueFor:error:)#descriptor answers a write to a descriptor")
  func descriptorWritten() async throws {
    let method = "peripheral(_:didWriteValueFor:error:)"
    let world = World()
    let tag = world.makeScriptedDevice("tag")
    tag.advertise([0x02, 0x01, 0x06])
    tag.answer { WritableDescription.answer($0) }
    let near = Listener()
    let central = CBCentralManager(delegate: near, queue: near.queue, options: world.makeDevice("phone").options)
    await world.settle()
    central.scanForPeripherals(withServices: nil)
    let found = "centralManager(_:didDiscover:advertisementData:rssi:)"
    try await world.wait(within: .seconds(5)) { !near.calls(of: found).isEmpty }
    let peripheral: CBPeripheral = try near.calls(of: found)[0].argument(1)
    central.connect(peripheral)
    try await world.wait(within: .seconds(5)) { peripheral.state == .connected }
    await peripheral.discoverAll(in: world)
    let characteristic = try peripheral.characteristic("FF22")
    await peripheral.discoverDescriptors(for: characteristic, in: world)
    let descriptor = try #require(characteristic.descriptors?.first)
    for (text, code) in [("new", nil), ("", CBATTError.Code.invalidAttributeValueLength)] {
      near.forget()
      peripheral.writeValue(Data(text.utf8), for: descriptor)
      await world.settle()
      let call = try near.only(method)
      #expect(call.arguments[0] as? CBPeripheral === peripheral)
      #expect(call.arguments[1] as? CBDescriptor === descriptor)
      #expect((call.error as? CBATTError)?.code == code)
    }
  }

  @Test("R3.2 peripheralIsReady(toSendWriteWithoutResponse:) is called once when there is space again")
  func readyToWrite() async throws {
    let (stage, peripheral) = try await Stage.connected([Stage.characteristic("FF22", .writeWithoutResponse)])
    let characteristic = try peripheral.characteristic("FF22")
    while peripheral.canSendWriteWithoutResponse {
      peripheral.writeValue(Data(count: 20), for: characteristic, type: .withoutResponse)
    }
    await stage.world.settle()
    let call = try stage.near.only("peripheralIsReady(toSendWriteWithoutResponse:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.arguments[1] as? Bool == true)
    #expect(stage.near.calls.count == 1)
  }
}

/// A service FF11 with a characteristic FF22 whose user description is writable, as raw octets: no program written against
/// Core Bluetooth can publish that.
private enum WritableDescription {
  /// Handles: 1 the service, 2 and 3 the characteristic, 4 its description.
  static func answer(_ request: [UInt8]) -> [UInt8]? {
    guard request.count >= 3, request[0] & 0x40 == 0, request[0] != 0x1E else { return nil }
    let (opcode, first) = (request[0], request[1])
    switch opcode {
    case 0x02: return [0x03, 23, 0]
    case 0x10 where first <= 1 && request.suffix(2) == [0x00, 0x28]: return [0x11, 6, 1, 0, 4, 0, 0x11, 0xFF]
    case 0x08 where first <= 2 && request.suffix(2) == [0x03, 0x28]: return [0x09, 7, 2, 0, 0x02, 3, 0, 0x22, 0xFF]
    case 0x04 where first <= 4: return [0x05, 1, 4, 0, 0x01, 0x29]
    case 0x12 where first == 4: return request.count > 3 ? [0x13] : [0x01, opcode, first, 0, 0x0D]
    // Attribute Not Found ends each procedure.
    default: return [0x01, opcode, first, request[2], 0x0A]
    }
  }
}
