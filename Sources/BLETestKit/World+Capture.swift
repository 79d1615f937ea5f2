import BLECapture

extension World {
  /// The traffic between all stacks of this world and their controllers so far, as the octets of a pcapng file with an interface
  /// for each device. If there was very much, only the latest packets. The same seed and the same program give the same octets.
  ///
  /// Read it while the world's clock stands still.
  public var capture: [UInt8] {
    let memory = CaptureMemory()
    recording.write(to: memory)
    return memory.octets
  }

  /// Writes the capture to a file that Wireshark opens; see `capture`.
  /// - Throws: `CaptureError` if the file cannot be written.
  public func writeCapture(to path: String) throws { try recording.write(toFile: path) }
}
