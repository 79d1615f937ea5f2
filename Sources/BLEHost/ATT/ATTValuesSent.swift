/// Whether the peer has shown that it took the values that nobody acknowledges: commands and notifications. It works off what
/// comes in one after another, so the answer to a request that was sent behind a value shows that the value was taken.
struct ATTValuesSent {
  /// Values were sent, and no request behind them was answered.
  private(set) var awaitAnswer = false
  private var isRequestBehind = false

  mutating func valueWasSent() {
    awaitAnswer = true
    isRequestBehind = false
  }

  mutating func requestWasSent() { isRequestBehind = true }

  mutating func requestWasAnswered() {
    if isRequestBehind { awaitAnswer = false }
  }
}
