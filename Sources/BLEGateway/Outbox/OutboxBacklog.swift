/// What waits to be written into an outbox.
struct OutboxBacklog {
  var drafts: [OutboxDraft] = []
  var delivered: [Int64] = []
  var refused = OutboxLosses()
  var isScheduled = false
  var isClosed = false
}

extension OutboxBacklog {
  init(isClosed: Bool) {
    self.init()
    self.isClosed = isClosed
  }

  /// Returns whether nothing was scheduled.
  mutating func schedule() -> Bool {
    defer { isScheduled = true }
    return !isScheduled
  }

  /// The oldest advertisement gives way; where there is none, the new message.
  mutating func makeRoom(for draft: OutboxDraft) {
    if let oldest = drafts.firstIndex(where: { $0.kind == .advertisement }) {
      drafts.remove(at: oldest)
      refused.add(.advertisement)
      drafts.append(draft)
    } else {
      refused.add(draft.kind)
    }
  }

  mutating func putBack(_ batch: Self, _ limit: Int) {
    let newer = drafts
    drafts = batch.drafts
    delivered = batch.delivered + delivered
    refused.advertisements += batch.refused.advertisements
    refused.values += batch.refused.values
    refused.events += batch.refused.events
    for draft in newer { if drafts.count < limit { drafts.append(draft) } else { makeRoom(for: draft) } }
    // The next attempt is scheduled by the caller.
    isScheduled = true
  }
}
