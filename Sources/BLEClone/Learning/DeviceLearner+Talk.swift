import BLEDeviceFiles
import Foundation

/// Values, answers to writes, and streams.
extension DeviceLearner {
  mutating func learnTalk(_ table: ClonedTable, _ pushing: Set<UInt16>) {
    let talk = TalkLearner(talk, table, pushing: pushing)
    var budget = LearningBudget()
    for index in learned.recording.attributes.indices {
      guard let value = talk.values[learned.recording.attributes[index].handle]?.learned else { continue }
      learned.recording.attributes[index].value = value.value.map { value in
        guard case .sequence(let all) = value else { return value }
        let kept = budget.keep(all) { 2 * $0.count + 4 }
        return kept.isEmpty ? .constant(all.first ?? Data()) : .sequence(kept)
      }
      learned.recording.attributes[index].follows = value.follows
      let handle = learned.recording.attributes[index].handle
      if value.isSequence {
        learned.counts.sequences += 1
        learned.recording.notes.append(
          "The values of attribute \(handle) changed by no rule that was found: they are played in their order.")
      }
      if value.isCut {
        learned.recording.notes.append("Of the value of attribute \(handle) only the beginning was read.")
      }
    }
    leftOut += budget.leftOut
    learnAnswers(talk.writes)
    learnStreams(talk.runs)
  }

  private mutating func learnAnswers(_ writes: [UInt16: [AnswerLearner.Instance]]) {
    var budget = LearningBudget()
    for (handle, instances) in writes.sorted(by: { $0.key < $1.key }) {
      let learner = AnswerLearner(handle, instances)
      for var answer in budget.keep(learner.answers, { _ in 60 }) {
        answer.turns = budget.keep(answer.turns) { turn in
          turn.reduce(2) { sum, statement in
            guard case .parts(let parts) = statement.value else { return sum + 60 }
            return parts.reduce(sum + 60) {
              if case .constant(let octets) = $1 { $0 + 2 * octets.count } else { $0 + 80 }
            }
          }
        }
        if !answer.turns.isEmpty { learned.recording.answers.append(answer) }
      }
      guard learner.sequences > 0 else { continue }
      learned.counts.sequences += learner.sequences
      learned.recording.notes.append(
        "What was said after \(learner.sequences) of the writes of attribute \(handle) follows no rule that was found: "
          + "it is played in its order.")
    }
    leftOut += budget.leftOut
    learned.counts.rules = learned.recording.answers.count
  }

  private mutating func learnStreams(_ runs: [UInt16: [StreamLearner.Run]]) {
    var budget = LearningBudget()
    for (handle, runs) in runs.sorted(by: { $0.key < $1.key }) {
      let learner = StreamLearner(handle, runs)
      for var stream in learner.streams {
        let total = stream.runs.reduce(0) { $0 + $1.count }
        var width = 0
        if case .sequence(let all) = stream.value { width = 2 * (all.map(\.count).max() ?? 0) + 4 }
        var kept: [[Int64]] = []
        for run in stream.runs { kept.append(budget.keep(run) { _ in 14 + width }) }
        if case .sequence(let all) = stream.value, kept.reduce(0, { $0 + $1.count }) < total {
          var start = 0
          var values: [Data] = []
          for (run, kept) in zip(stream.runs, kept) {
            values += all[start..<(start + kept.count)]
            start += run.count
          }
          stream.value = values.isEmpty ? .constant(Data()) : .sequence(values)
        }
        stream.runs = kept
        learned.recording.streams.append(stream)
      }
      guard learner.sequences > 0 else { continue }
      learned.counts.sequences += learner.sequences
      learned.recording.notes.append(
        "What attribute \(handle) notifies follows no rule that was found: it is played in its order.")
    }
    leftOut += budget.leftOut
    learned.counts.streams = learned.recording.streams.count
  }
}
