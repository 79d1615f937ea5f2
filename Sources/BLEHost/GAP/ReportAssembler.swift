import BLECore

/// Reassembles extended advertisements that a controller reports in several parts (Core, Vol 4 Part E 7.7.65.13).
///
/// Memory is bounded by `chainLimit` times `octetLimit`, even if advertisements are never completed or never end.
struct ReportAssembler {
  /// The data status of a part.
  enum Status {
    case complete, moreToCome, truncated
  }

  /// The maximum length of an advertisement's data (Core, Vol 6 Part B 4.4.2.9).
  static let octetLimit = 1_650
  static let chainLimit = 64

  private struct Key: Hashable {
    let address: UInt64
    let set: UInt8
    let isScanResponse: Bool
  }

  private struct Chain {
    var octets: [UInt8]
    var startedAt: UInt64
    /// Whether it was too long: further parts are dropped until it ends.
    var isOverlong = false
  }

  private var chains: [Key: Chain] = [:]
  private var clock: UInt64 = 0
  /// The number of advertisements dropped because they were too long or not completed.
  private(set) var droppedCount = 0

  /// Adds one part. Returns the complete advertisement if `report` was its last part.
  mutating func add(_ report: AdvertisingReport, set: UInt8, _ status: Status) -> AdvertisingReport? {
    // The common case: one part, and no incomplete advertisements.
    if status == .complete, chains.isEmpty { return report }
    let key = Key(address: report.address.key, set: set, isScanResponse: report.isScanResponse)
    var chain = chains.removeValue(forKey: key)
    switch status {
    case .complete:
      guard let begun = chain else { return report }
      guard !begun.isOverlong, begun.octets.count + report.data.count <= Self.octetLimit else {
        droppedCount += 1
        return nil
      }
      var whole = report
      whole.data = (begun.octets + report.data)[...]
      return whole
    case .truncated:
      // The truncated data consists of complete structures and possibly a partial one, which the reader skips.
      var cut = report
      if let begun = chain {
        if begun.isOverlong { return nil }
        cut.data = (begun.octets + report.data).prefix(Self.octetLimit)
      }
      return cut
    case .moreToCome:
      clock += 1
      if chain == nil { makeRoom() }
      var begun = chain ?? Chain(octets: [], startedAt: clock)
      if begun.octets.count + report.data.count > Self.octetLimit {
        begun.octets = []
        begun.isOverlong = true
      }
      if !begun.isOverlong { begun.octets += report.data }
      chain = begun
      chains[key] = chain
      return nil
    }
  }

  mutating func removeAll() { chains = [:] }

  private mutating func makeRoom() {
    guard chains.count >= Self.chainLimit,
      let oldest = chains.min(by: { $0.value.startedAt < $1.value.startedAt })?.key
    else { return }
    chains[oldest] = nil
    droppedCount += 1
  }
}
