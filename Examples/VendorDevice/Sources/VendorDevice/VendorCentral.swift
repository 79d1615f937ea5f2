import CoreBluetooth
import Foundation

/// Finds one device of a vendor, makes sure that it is the right one, and only then sends it commands.
///
/// The manager has a serial queue of its own, and everything here happens on it.
final class VendorCentral: NSObject {
  private let vendor: Vendor
  /// The device that is wanted; `nil` for any of the vendor's.
  private let wanted: MACAddress?
  private let queue = DispatchQueue(label: "vendor central")
  private var manager: CBCentralManager!
  /// The device that is being connected to, verified or used.
  private var device: CBPeripheral?
  private var line: CBCharacteristic?
  private var commands: CommandQueue?
  /// Verified, and not the one that is wanted: not looked at again.
  private var others: Set<UUID> = []
  private var hint: DispatchWorkItem?
  /// Called when the device has proved who it is.
  private let onReady: (VendorCentral) -> Void

  init(vendor: Vendor, wanted: MACAddress?, onReady: @escaping (VendorCentral) -> Void) {
    self.vendor = vendor
    self.wanted = wanted
    self.onReady = onReady
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: queue, options: [CBCentralManagerOptionShowPowerAlertKey: true])
  }

  /// One command of the vendor; the completion is called on the central's queue.
  func run(_ command: Vendor.Command, _ payload: [UInt8] = [], _ completion: @escaping CommandQueue.Completion) {
    guard let commands else { return completion(.failure(.disconnected)) }
    commands.run(command.rawValue, payload, completion)
  }

  func disconnect() { device.map { manager.cancelPeripheralConnection($0) } }

  // MARK: Finding

  private func look() {
    // Another program of this machine may be connected to it: such a device does not advertise.
    let connected = manager.retrieveConnectedPeripherals(withServices: [vendor.service])
    if let known = connected.first(where: { isCandidate($0, name: $0.name, [:]) }) { return connect(known) }
    manager.scanForPeripherals(withServices: nil)
    let hint = DispatchWorkItem { print("nothing yet: press a button on the device to wake it") }
    self.hint = hint
    queue.asyncAfter(deadline: .now() + 5, execute: hint)
  }

  /// The name first, without regard to case; then the address, where the device advertises it. A device that does not is asked
  /// after connecting.
  private func isCandidate(_ peripheral: CBPeripheral, name: String?, _ advertisement: [String: Any]) -> Bool {
    guard let name, name.caseInsensitiveCompare(vendor.name) == .orderedSame, !others.contains(peripheral.identifier)
    else { return false }
    guard let wanted, let address = MACAddress(advertisement: advertisement, of: vendor) else { return true }
    return address == wanted
  }

  private func connect(_ peripheral: CBPeripheral) {
    hint?.cancel()
    if manager.isScanning { manager.stopScan() }
    device = peripheral
    peripheral.delegate = self
    print("connecting to \(peripheral.name ?? "a device without a name")")
    manager.connect(peripheral)
  }

  // MARK: Verifying

  /// A device counts as ready when it has answered as only the wanted one can. Until then it gets no other command.
  private func verify() {
    let challenge = (0..<4).map { _ in UInt8.random(in: 0...255) }
    run(.hello, challenge) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let answer): self.judge(answer, to: challenge)
      case .failure(let failure): self.reject("it does not answer as a \(self.vendor.name) does (\(failure))")
      }
    }
  }

  private func judge(_ answer: [UInt8], to challenge: [UInt8]) {
    guard let address = MACAddress(octets: answer.prefix(6)),
      answer == Vendor.greeting(from: address, to: challenge)
    else { return reject("its answer to the greeting is wrong") }
    if let wanted, address != wanted { return reject("it is \(address), another device of the same kind") }
    print("verified \(address)")
    onReady(self)
  }

  private func reject(_ reason: String) {
    guard let device else { return }
    // A link that broke has been told of; everything else is the device's fault.
    if device.state == .connected {
      print("not taken: \(reason)")
      others.insert(device.identifier)
      manager.cancelPeripheralConnection(device)
    }
  }
}

extension VendorCentral: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn: look()
    case .unauthorized:
      print("this program may not use Bluetooth: allow it in the system's privacy settings, under Bluetooth")
    case .unsupported: print("this machine has no Bluetooth Low Energy")
    // Nothing is called now that would make the system ask for Bluetooth to be switched on.
    case .poweredOff: print("Bluetooth is off: switch it on, the program then continues")
    default: print("Bluetooth is not ready yet")
    }
    if central.state != .poweredOn {
      hint?.cancel()
      lose()
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
    guard device == nil, isCandidate(peripheral, name: name, advertisementData) else { return }
    connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([vendor.service])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    print("could not connect: \(error?.localizedDescription ?? "no reason given")")
    lose()
    look()
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    let wasRejected = others.contains(peripheral.identifier)
    lose()
    if let error { print("lost: \(error.localizedDescription)") }
    if error == nil && !wasRejected {
      print("disconnected")
      exit(0)
    }
    look()
  }

  /// Commands that wait get to know it.
  private func lose() {
    device = nil
    line = nil
    commands?.failAll(.disconnected)
    commands = nil
  }
}

extension VendorCentral: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    guard let service = peripheral.services?.first(where: { $0.uuid == vendor.service }) else {
      return reject("it has no service \(vendor.service)")
    }
    peripheral.discoverCharacteristics([vendor.commands, vendor.answers], for: service)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    let found = service.characteristics ?? []
    guard let line = found.first(where: { $0.uuid == vendor.commands }),
      let answers = found.first(where: { $0.uuid == vendor.answers })
    else { return reject("its service has no lines for commands and answers") }
    self.line = line
    peripheral.setNotifyValue(true, for: answers)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    if let error { return reject("its answers cannot be listened to: \(error.localizedDescription)") }
    commands = CommandQueue(queue: queue, timeout: 1, attempts: 3) { [weak self] frame in self?.send(frame) }
    verify()
  }

  private func send(_ frame: Frame) {
    guard let device, let line else { return }
    device.writeValue(Data(frame.octets(key: vendor.key)), for: line, type: .withResponse)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
    // The time-out of the command deals with it.
    if let error { print("a command was not taken: \(error.localizedDescription)") }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    guard characteristic.uuid == vendor.answers, let value = characteristic.value else { return }
    do {
      commands?.receive(try Frame(octets: Array(value), key: vendor.key))
    } catch {
      print("passed over what is no frame: \(Hexadecimal.text(value)) (\(error))")
    }
  }
}
