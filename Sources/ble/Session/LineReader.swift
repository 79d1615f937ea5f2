/// Lines from a descriptor: what is typed or piped in, or what a child process says.
@MainActor final class LineReader {
  private var reader: DescriptorReader?
  private var pending: [UInt8] = []
  private let onLine: (String) -> Void

  /// A line longer than this is cut.
  static let longestLine = 65_536
  private let longestLine: Int

  /// Begins to read; the descriptor stays the caller's. `onEnd` is called once, at the end of the input.
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

  /// Nothing is read for now; the rest of what was read already still comes.
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
    // What is not UTF-8 is repaired: it was meant as text.
    let line = String(decoding: pending, as: UTF8.self)
    pending.removeAll(keepingCapacity: true)
    if !line.isEmpty { onLine(line) }
  }
}
