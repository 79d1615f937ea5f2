import BLECapture

extension World {
  /// The traffic between all stacks of this world and their controllers so far, as a pcapng file's octets: an interface a
  /// device. The latest packets only, where there were very many. The same seed and the same program give the same octets.
  ///
  /// Call it while nothing is under way.
  public var capture: [UInt8] {
    let memory = CaptureMemory()
    recording.write(to: memory)
    return memory.octets
  }

  /// Writes the capture into a file that Wireshark opens; see `capture`.
  /// - Throws: `CaptureError` where the file cannot be written.
  public func writeCapture(to path: String) throws { try recording.write(toFile: path) }
}
