import CoreBluetooth
import Synchronization
import TestSupport

extension PeripheralApp {
  /// Called "server": publishes a channel, and gives its PSM in the usual characteristic.
  static func channelServer(_ options: [String: Any], withEncryption needsEncryption: Bool = false) -> PeripheralApp {
    let app = PeripheralApp(options)
    app.reactions["state"] = { [unowned app] in
      if app.manager.state == .poweredOn { app.manager.publishL2CAPChannel(withEncryption: needsEncryption) }
    }
    app.reactions["published"] = { [unowned app] in
      let value = app.multiplexers.last.map { Data([UInt8($0 & 0xFF), UInt8($0 >> 8)]) }
      let characteristic = CBMutableCharacteristic(CBUUIDL2CAPPSMCharacteristicString, .read, value: value)
      app.manager.add(CBMutableService("FFC0", [characteristic]))
    }
    app.reactions["added"] = { [unowned app] in
      app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "server"])
    }
    return app
  }
}

extension CentralApp {
  /// Finds the server, reads the channel's PSM, and opens the channel.
  static func channelClient(_ options: [String: Any]) -> CentralApp {
    let app = CentralApp(options)
    app.onWalked = { [unowned app] in app.read(CBUUIDL2CAPPSMCharacteristicString) }
    app.reactions["value"] = { [unowned app] in
      if let psm = app.psm { app.peripheral?.openL2CAPChannel(psm) }
    }
    app.seek("server")
    return app
  }

  /// The PSM that was read.
  var psm: CBL2CAPPSM? {
    guard let value = values.last, value.count == 2 else { return nil }
    return UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
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
