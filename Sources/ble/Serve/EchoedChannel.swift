import BLESession
import CoreBluetooth
import Foundation

/// A channel that sends back what comes. It reads only when all was sent back: a peer that does not read is given no credits.
@MainActor final class EchoedChannel: NSObject, StreamDelegate {
  private let channel: CBL2CAPChannel
  private var pending: [UInt8] = []
  private(set) var hasEnded = false

  private static let pieceLength = 4_096

  init(_ opened: OpenedChannel) {
    channel = opened.channel
    super.init()
    for stream in [channel.inputStream as Stream?, channel.outputStream] {
      stream?.delegate = self
      stream?.schedule(in: .main, forMode: .default)
      stream?.open()
    }
  }

  nonisolated func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    let isOver = eventCode == .endEncountered || eventCode == .errorOccurred
    MainActor.assumeIsolated { if isOver { end() } else { move() } }
  }

  private func move() {
    guard let input = channel.inputStream, let output = channel.outputStream else { return }
    var buffer = [UInt8](repeating: 0, count: Self.pieceLength)
    while !hasEnded {
      if pending.isEmpty {
        guard input.hasBytesAvailable else { return }
        let count = input.read(&buffer, maxLength: buffer.count)
        guard count > 0 else { return }
        pending = Array(buffer.prefix(count))
      }
      guard output.hasSpaceAvailable else { return }
      let count = pending.withUnsafeBufferPointer { rest in
        rest.baseAddress.map { output.write($0, maxLength: rest.count) } ?? 0
      }
      guard count > 0 else { return }
      pending.removeFirst(count)
    }
  }

  private func end() {
    hasEnded = true
    channel.inputStream.close()
    channel.outputStream.close()
  }
}
