/// Reads lines from a descriptor: typed, piped, or from a child process.
@MainActor final class LineReader {
  private var reader: DescriptorReader?
  private var pending: [UInt8] = []
  private let onLine: (String) -> Void

  /// The longest line in octets; the rest of a longer one is dropped.
  static let longestLine = 65_536
  private let longestLine: Int

  /// Begins to read; the caller keeps ownership of the descriptor. `onEnd` is called once, at the end of the input.
  init(
    _ descriptor: Int32, longestLine: Int = LineReader.longestLine, onLine: @escaping (String) -> Void,
    onEnd: @escaping () -> Void
  ) {
    self.longestLine = longestLine
    self.onLine = onLine
    reader = DescriptorReader(
      descriptor, onOctets: { [weak self] in self?.take($0) },
      onEnd: { [weak self] in
        self?.finishLine()
        onEnd()
      })
  }

  func stop() {
    reader?.stop()
    reader = nil
  }

  /// Suspends reading; lines that were already read are still delivered.
  func pause() { reader?.pause() }
  func resume() { reader?.resume() }

  private func take(_ octets: ArraySlice<UInt8>) {
    for octet in octets {
      if octet == 0x0A {
        finishLine()
      } else if pending.count < longestLine {
        pending.append(octet)
      }
    }
  }

  private func finishLine() {
    if pending.last == 0x0D { pending.removeLast() }
    // Invalid UTF-8 is repaired, because the input is meant as text.
    let line = String(decoding: pending, as: UTF8.self)
    pending.removeAll(keepingCapacity: true)
    if !line.isEmpty { onLine(line) }
  }
}
