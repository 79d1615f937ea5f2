import Synchronization

/// Counts what clients do: each has tokens, of which an action takes one, and which come again with time.
final class RateLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  private let rate: Rate
  private let buckets = Mutex<[ClientAddress: Bucket]>([:])
  /// The most clients that are remembered; then the one that was idle longest is forgotten.
  private let capacity: Int

  init(_ rate: Rate, capacity: Int = 1_024) {
    self.rate = rate
    self.capacity = capacity
  }

  /// The number of clients that are remembered.
  var count: Int { buckets.withLock { $0.count } }

  /// Whether the client may do it now.
  func admits(_ client: ClientAddress, at now: ContinuousClock.Instant = .now) -> Bool {
    buckets.withLock { buckets in
      if buckets[client] == nil, buckets.count >= capacity { forget(&buckets, at: now) }
      var bucket = buckets[client] ?? Bucket(tokens: rate.burst, time: now)
      bucket.tokens = tokens(bucket, at: now)
      bucket.time = max(bucket.time, now)
      let isAdmitted = bucket.tokens >= 1
      if isAdmitted { bucket.tokens -= 1 }
      buckets[client] = bucket
      return isAdmitted
    }
  }

  private func tokens(_ bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
    let passed = max(.zero, now - bucket.time) / .seconds(1)
    return min(rate.burst, bucket.tokens + passed * rate.perSecond)
  }

  /// Who has all tokens again is as one who never came.
  private func forget(_ buckets: inout [ClientAddress: Bucket], at now: ContinuousClock.Instant) {
    buckets = buckets.filter { tokens($0.value, at: now) < rate.burst }
    guard buckets.count >= capacity, let oldest = buckets.min(by: { $0.value.time < $1.value.time }) else { return }
    buckets[oldest.key] = nil
  }
}
