/// Tracks whether the peer has processed the values that have no acknowledgement: commands and notifications. It processes PDUs
/// in order, so the response to a request sent after a value shows that the value was processed.
struct ATTValuesSent {
  /// Whether values were sent after which no request has been answered.
  private(set) var awaitsAnswer = false
  private var isRequestBehind = false

  mutating func valueWasSent() {
    awaitsAnswer = true
    isRequestBehind = false
  }

  mutating func requestWasSent() { isRequestBehind = true }

  mutating func requestWasAnswered() {
    if isRequestBehind { awaitsAnswer = false }
  }
}
