import BLECapture
import BLECore
import BLEVirtualRadio
import BLEWire
import Glibc

/// Writes the packets that this process observes on its air to a pcapng file, as a sniffer would: encrypted links as on the air.
/// On the loop.
final class AirCaptureTap: AirTap, TimerTarget {
  private let writer: PcapNGWriter
  private let interface: Int
  private let loop: any StackLoop
  private let log: Logger
  private let origin: CaptureTimestamp
  private var isWaiting = false
  /// The initial value of the CRC of each connection.
  private var crcInitializations: [UInt32: UInt32] = [:]
  private static let delay = StackDuration.milliseconds(200)
  private static let connectionLimit = 1_024

  /// Makes the file, or empties it.
  init(path: String, on loop: any StackLoop, log: Logger) throws(CaptureError) {
    writer = PcapNGWriter(try CaptureFileOutput(path: path))
    interface = writer.addInterface(.air, name: "air")
    self.loop = loop
    self.log = log
    origin = .now(on: loop)
  }

  func air(_ air: Air, carried frame: AirFrame) {
    if frame.accessAddress == AdvertisingChannelPDU.accessAddress { noteConnection(frame) }
    writer.write(
      CapturedPacket(
        timestamp: CaptureTimestamp(frame.time, origin: origin), interface: interface,
        content: .air(
          AirPacket(
            channelIndex: frame.channel, phy: AirPacket.Phy(rawValue: UInt16(frame.phy.rawValue) - 1) ?? .le1M,
            signalPower: frame.signal == 0 ? nil : frame.signal, accessAddress: frame.accessAddress,
            pdu: frame.octets,
            crcInit: crcInitializations[frame.accessAddress] ?? AirPacket.advertisingCRCInit))))
    guard !isWaiting else { return }
    isWaiting = true
    loop.schedule(after: Self.delay, .background, self, tag: 0)
  }

  private func noteConnection(_ frame: AirFrame) {
    // CONNECT_IND and AUX_CONNECT_REQ are rare among advertisements.
    guard let header = frame.octets.first, header & 0x0F == 0x05 else { return }
    var reader = ByteReader(frame.octets, layer: "air")
    guard case .connectIndication(let indication)? = try? AdvertisingChannelPDU(from: &reader) else { return }
    if crcInitializations.count >= Self.connectionLimit { crcInitializations.removeAll() }
    crcInitializations[indication.accessAddress] = indication.crcInitialization & 0xFF_FFFF
  }

  func timerFired(tag: Int) {
    flush()
    if let failure = writer.failure {
      log.log(.error, "the capture of the air has ended: \(failure)")
    } else {
      isWaiting = false
    }
  }

  /// Writes everything to the file.
  func flush() { writer.flush() }
}

extension CaptureTimestamp {
  /// The origin of a real-time loop's time.
  static func now(on loop: any StackLoop) -> CaptureTimestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let wall = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    return CaptureTimestamp(nanoseconds: wall &- loop.now.nanoseconds)
  }
}
