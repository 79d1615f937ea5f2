import CoreBluetooth
import Synchronization

/// A program in the peripheral role that publishes a channel, and gives its PSM in the usual characteristic.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
final class ChannelServer: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "channel server")
  private(set) var manager: CBPeripheralManager!
  private let needsEncryption: Bool
  var published: [CBL2CAPPSM] = []
  var unpublished: [(psm: CBL2CAPPSM, error: (any Error)?)] = []
  /// What the program retains.
  var channels: [CBL2CAPChannel] = []
  var openedCount = 0
  var keepsChannels = true
  var onOpen: ((CBL2CAPChannel) -> Void)?

  init(options: [String: Any], withEncryption needsEncryption: Bool = false) {
    self.needsEncryption = needsEncryption
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: needsEncryption) }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    guard error == nil else { return }
    published.append(PSM)
    let service = CBMutableService(type: CBUUID(string: "FFC0"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: CBUUIDL2CAPPSMCharacteristicString), properties: .read,
        value: Data([UInt8(PSM & 0xFF), UInt8(PSM >> 8)]), permissions: .readable)
    ]
    peripheral.add(service)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    unpublished.append((PSM, error))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    guard let channel else { return }
    openedCount += 1
    if keepsChannels { channels.append(channel) }
    onOpen?(channel)
  }
}

/// A program in the central role that finds the server, reads the channel's PSM, and opens the channel.
///
/// `@unchecked Sendable`: as the server.
final class ChannelClient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "channel client")
  private(set) var manager: CBCentralManager!
  var found: CBPeripheral?
  var psm: CBL2CAPPSM?
  var channels: [CBL2CAPChannel] = []
  var errors: [any Error] = []
  var disconnections = 0
  var onOpen: ((CBL2CAPChannel) -> Void)?

  init(options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "FFC0")]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    if found != nil { return }
    found = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    disconnections += 1
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    if let service = peripheral.services?.first { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    if let characteristic = service.characteristics?.first { peripheral.readValue(for: characteristic) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let value = characteristic.value, value.count == 2 else { return }
    let psm = UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
    self.psm = psm
    peripheral.openL2CAPChannel(psm)
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    if let error { errors.append(error) }
    guard let channel else { return }
    channels.append(channel)
    onOpen?(channel)
  }
}

/// Two streams on a run loop, used as the delegate's events say: writes the octets it was given, reads those that arrive.
///
/// `@unchecked Sendable`: only the run loop's thread touches it, or the world is not running.
final class StreamUser: NSObject, StreamDelegate, @unchecked Sendable {
  let channel: CBL2CAPChannel
  var toWrite: [UInt8]
  var received: [UInt8] = []
  var inputEvents: [Stream.Event] = []
  var outputEvents: [Stream.Event] = []
  /// Closes both streams when everything has been written.
  var closesAfterWriting = false
  private var written = 0

  init(_ channel: CBL2CAPChannel, writing octets: [UInt8] = []) {
    self.channel = channel
    toWrite = octets
  }

  /// On the run loop's thread.
  func start(on runLoop: RunLoop, mode: RunLoop.Mode = .default) {
    for stream in channel.streams {
      stream.delegate = self
      stream.schedule(in: runLoop, forMode: mode)
      stream.open()
    }
  }

  func stop() {
    channel.inputStream.close()
    channel.outputStream.close()
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    if aStream === channel.inputStream {
      inputEvents.append(eventCode)
      if eventCode == .hasBytesAvailable { read() }
    } else {
      outputEvents.append(eventCode)
      if eventCode == .hasSpaceAvailable { write() }
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
    if count > 0 { received += buffer.prefix(count) }
  }

  private func write() {
    if written < toWrite.count {
      written += toWrite[written...].withUnsafeBufferPointer { rest in
        max(0, channel.outputStream.write(rest.baseAddress!, maxLength: rest.count))
      }
    }
    if closesAfterWriting, written == toWrite.count { stop() }
  }
}

/// A thread whose run loop runs, as a program's own would.
final class RunLoopThread: @unchecked Sendable {
  private let ready = DispatchSemaphore(value: 0)
  private var runLoop: RunLoop!
  private let keepsRunning = Atomic(true)

  init(modes: [RunLoop.Mode] = [.default]) {
    let thread = Thread { [self] in
      let current = RunLoop.current
      runLoop = current
      // A run loop with nothing to wait for returns at once.
      let idle = Timer(timeInterval: 3_600, repeats: true) { _ in }
      for mode in modes { current.add(idle, forMode: mode) }
      ready.signal()
      var turn = 0
      while keepsRunning.load(ordering: .acquiring) {
        _ = current.run(mode: modes[turn % modes.count], before: Date(timeIntervalSinceNow: 0.02))
        turn += 1
      }
      idle.invalidate()
    }
    thread.start()
    ready.wait()
  }

  /// From any thread.
  var loop: RunLoop { runLoop }

  func stop() { keepsRunning.store(false, ordering: .releasing) }
}

extension CBL2CAPChannel {
  var streams: [Stream] { [inputStream as InputStream, outputStream as OutputStream] }
}

extension InputStream {
  /// What can be read without waiting.
  func readAvailable(atMost limit: Int = .max) -> [UInt8] {
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while octets.count < limit, hasBytesAvailable {
      let count = read(&buffer, maxLength: min(buffer.count, limit - octets.count))
      if count <= 0 { break }
      octets += buffer.prefix(count)
    }
    return octets
  }
}

extension OutputStream {
  /// How many of `octets` could be written without waiting.
  func writeAvailable(_ octets: some Collection<UInt8>) -> Int {
    let octets = Array(octets)
    var written = 0
    while written < octets.count, hasSpaceAvailable {
      let count = octets[written...].withUnsafeBufferPointer { write($0.baseAddress!, maxLength: $0.count) }
      if count <= 0 { break }
      written += count
    }
    return written
  }
}
