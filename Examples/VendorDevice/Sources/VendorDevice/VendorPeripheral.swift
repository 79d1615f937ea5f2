import CoreBluetooth
import Foundation

/// The device itself, where there is no hardware. It can be told to be deaf now and then, or to be a swindler.
///
/// Peripherals of Core Bluetooth cannot advertise manufacturer data, here or on Apple's systems: this one says its address only
/// when it is greeted.
final class VendorPeripheral: NSObject {
  private let vendor: Vendor
  private let name: String
  private let address: MACAddress
  /// So many commands are not heard, after the greeting.
  private var deafness: Int
  /// Answers greetings wrongly.
  private let isSwindler: Bool
  private var brightness: UInt8 = 0
  /// What was answered last: said again where a command comes a second time.
  private var lastAnswer: Frame?
  private var toSend: [Data] = []
  private var manager: CBPeripheralManager!
  private let answers: CBMutableCharacteristic

  init(vendor: Vendor, name: String, address: MACAddress, deafness: Int, isSwindler: Bool) {
    self.vendor = vendor
    self.name = name
    self.address = address
    self.deafness = deafness
    self.isSwindler = isSwindler
    answers = CBMutableCharacteristic(type: vendor.answers, properties: .notify, value: nil, permissions: .readable)
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  private func obey(_ frame: Frame) {
    if frame.sequence == lastAnswer?.sequence, frame.command | Frame.answerBit == lastAnswer?.command, let lastAnswer {
      return say(lastAnswer)
    }
    if frame.command != Vendor.Command.hello.rawValue, deafness > 0 {
      deafness -= 1
      return print("not heard: command \(frame.command)")
    }
    let answer = Frame(
      sequence: frame.sequence, command: frame.command | Frame.answerBit,
      payload: carryOut(frame.command, frame.payload))
    lastAnswer = answer
    say(answer)
  }

  /// Status and what follows it.
  private func carryOut(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
    switch Vendor.Command(rawValue: command) {
    case .hello:
      let challenge = isSwindler ? payload.map { ~$0 } : payload
      return [0] + Vendor.greeting(from: address, to: challenge)
    case .battery: return [0, 87]
    case .light:
      guard let percent = payload.first, percent <= 100 else { return [2] }
      brightness = percent
      print("light \(percent)")
      return [0, percent]
    case nil: return [1]
    }
  }

  private func say(_ frame: Frame) {
    toSend.append(Data(frame.octets(key: vendor.key)))
    sendWaiting()
  }

  private func sendWaiting() {
    while let first = toSend.first, manager.updateValue(first, for: answers, onSubscribedCentrals: nil) {
      toSend.removeFirst()
    }
  }
}

extension VendorPeripheral: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return print("state \(peripheral.state.rawValue)") }
    let service = CBMutableService(type: vendor.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(type: vendor.commands, properties: .write, value: nil, permissions: .writeable), answers,
    ]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    if let error { return print("cannot add \(service.uuid): \(error.localizedDescription)") }
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    print(error.map { "cannot advertise: \($0.localizedDescription)" } ?? "advertising \(name)")
  }

  /// The next central begins a new conversation, and counts from the beginning.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    lastAnswer = nil
    toSend = []
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    // That it was written is said at once; whether it was carried out is said by the answer.
    peripheral.respond(to: requests[0], withResult: .success)
    for request in requests {
      guard let frame = try? Frame(octets: Array(request.value ?? Data()), key: vendor.key) else {
        print("what came is no frame")
        continue
      }
      obey(frame)
    }
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { sendWaiting() }
}
